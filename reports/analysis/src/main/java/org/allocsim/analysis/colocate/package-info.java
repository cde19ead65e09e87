/**
 * Several processes on one GPU: whether they run together, who fails first and who holds the memory
 * then, on which GPU and under which limits all of them run.
 */
@NullMarked
package org.allocsim.analysis.colocate;

import org.jspecify.annotations.NullMarked;
