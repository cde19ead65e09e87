/**
 * PyTorch's operations as far as they ask for memory and take time: tensors and autograd. It asks
 * for memory as PyTorch does and does not know who serves it.
 */
@NullMarked
package org.allocsim.workloads.program.torch;

import org.jspecify.annotations.NullMarked;
