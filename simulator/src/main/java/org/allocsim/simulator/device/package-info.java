/**
 * {@link org.allocsim.simulator.device.DeviceMemory}, the port through which policies reach memory,
 * what is known of GPUs, and a device that answers as a recording did; the one that behaves as the
 * CUDA driver was seen to behave has a package of its own. Rules of allocators do not belong here.
 */
@NullMarked
package org.allocsim.simulator.device;

import org.jspecify.annotations.NullMarked;
