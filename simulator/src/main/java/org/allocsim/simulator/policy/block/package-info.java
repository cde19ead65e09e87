/**
 * Blocks that several families of policies share: a heap of blocks that split and merge. Rules of
 * one allocator do not belong here.
 */
@NullMarked
package org.allocsim.simulator.policy.block;

import org.jspecify.annotations.NullMarked;
