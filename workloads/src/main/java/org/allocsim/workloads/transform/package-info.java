/**
 * Traces made from traces: cut, repeated, scaled, reordered, merged, perturbed, given times. A
 * transform changes requests and never serves them, except where times come from a simulation.
 */
@NullMarked
package org.allocsim.workloads.transform;

import org.jspecify.annotations.NullMarked;
