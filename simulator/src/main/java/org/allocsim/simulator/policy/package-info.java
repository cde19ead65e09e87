/**
 * What an allocator is to the rest of the program: the interface, how a provider describes and
 * makes one, its options. Each family of allocators has a package below this one, which may use
 * devices, effects, traces and orders of blocks, and neither statistics nor the engine.
 */
@NullMarked
package org.allocsim.simulator.policy;

import org.jspecify.annotations.NullMarked;
