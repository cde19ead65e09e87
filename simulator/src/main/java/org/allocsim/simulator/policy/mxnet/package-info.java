/** MXNet's pooled storage, in its two ways of rounding. */
@NullMarked
package org.allocsim.simulator.policy.mxnet;

import org.jspecify.annotations.NullMarked;
