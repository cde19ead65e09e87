/**
 * GMLake: large requests are stitched together from free blocks by mapping their memory once more.
 */
@NullMarked
package org.allocsim.simulator.policy.gmlake;

import org.jspecify.annotations.NullMarked;
