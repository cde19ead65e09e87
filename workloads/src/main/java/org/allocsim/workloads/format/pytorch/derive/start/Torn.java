package org.allocsim.workloads.format.pytorch.derive.start;

/**
 * A block that memory of another segment reaches into, which no allocator can have made.
 *
 * @param row the row of the history that obtains that memory or gives it back; the length of the
 *     history where segments at its end overlap
 * @param blockAddress where the block begins
 * @param address where that memory begins
 */
public record Torn(int row, long blockAddress, long address) {}
