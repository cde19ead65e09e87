/** The memory of tensors: the device that requests go to, and storages that tensors share. */
package org.allocsim.workloads.program.torch.memory;
