/** How PyTorch's kernels cut their work, and what memory they take for it. */
@NullMarked
package org.allocsim.workloads.program.torch.kernel;

import org.jspecify.annotations.NullMarked;
