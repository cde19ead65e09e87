/**
 * PyTorch's optimizers and what goes with them: parameters, operations on lists of tensors, the
 * scaler of gradients. Models do not belong here. It may use tensors and operations.
 */
@NullMarked
package org.allocsim.workloads.program.torch.optimizer;

import org.jspecify.annotations.NullMarked;
