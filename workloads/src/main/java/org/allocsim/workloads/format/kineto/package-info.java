/** Memory events in profiles of PyTorch's profiler. */
package org.allocsim.workloads.format.kineto;
