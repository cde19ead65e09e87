package org.allocsim.analysis.idle.memory;

import java.util.BitSet;
import org.allocsim.simulator.column.LongColumn;

/**
 * What the allocator did with the requests of a profile under some settings. Its driver calls are
 * columns, in the order of time.
 *
 * @param peak the most memory
 * @param failures requests that failed; the program is taken to go on after them
 * @param atNanos when requests that led to driver calls were made, from the first row of the
 *     profile
 * @param driverNanos how long those calls take at least, modelled
 * @param waits whether a call frees memory, for which the driver waits for the GPU
 */
public record AllocatorRun(
    MemoryPeak peak, long failures, LongColumn atNanos, LongColumn driverNanos, BitSet waits) {}
