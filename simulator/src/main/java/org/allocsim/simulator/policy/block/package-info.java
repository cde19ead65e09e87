/**
 * Blocks that several families of policies share: a heap of blocks that split and merge. Rules of
 * one allocator do not belong here.
 */
package org.allocsim.simulator.policy.block;
