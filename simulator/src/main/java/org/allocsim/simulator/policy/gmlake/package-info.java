/**
 * GMLake: large requests are stitched together from free blocks by mapping their memory once more.
 */
package org.allocsim.simulator.policy.gmlake;
