/**
 * What a pickle is made of, whatever it holds: input, operations, memo, values and texts. What a
 * snapshot of PyTorch means belongs to the package above.
 */
@NullMarked
package org.allocsim.workloads.format.pytorch.pickle;

import org.jspecify.annotations.NullMarked;
