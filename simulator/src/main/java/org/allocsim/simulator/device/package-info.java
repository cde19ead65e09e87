/**
 * The port through which policies reach memory ({@link org.allocsim.simulator.device.DeviceMemory})
 * and the devices behind it: one that behaves as the CUDA driver was seen to behave, and one that
 * answers as a recording did. Rules of allocators do not belong here. It may use traces, effects
 * and orders of blocks.
 */
@NullMarked
package org.allocsim.simulator.device;

import org.jspecify.annotations.NullMarked;
