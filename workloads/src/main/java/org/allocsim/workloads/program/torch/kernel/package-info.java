/** How PyTorch's kernels cut their work, and what memory they take for it. */
package org.allocsim.workloads.program.torch.kernel;
