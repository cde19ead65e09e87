/** MXNet's pooled storage, in its two ways of rounding. */
package org.allocsim.simulator.policy.mxnet;
