/** The memory of tensors: the device that requests go to, and storages that tensors share. */
@NullMarked
package org.allocsim.workloads.program.torch.memory;

import org.jspecify.annotations.NullMarked;
