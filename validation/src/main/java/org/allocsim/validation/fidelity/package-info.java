/**
 * Compares a recorded run with the simulation, event by event and block by block. It needs no GPU
 * and knows no format but PyTorch's snapshots.
 */
@NullMarked
package org.allocsim.validation.fidelity;

import org.jspecify.annotations.NullMarked;
