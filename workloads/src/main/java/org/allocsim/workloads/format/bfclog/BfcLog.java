package org.allocsim.workloads.format.bfclog;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * A log that was read.
 *
 * @param sha256 SHA-256 of the file as stored, in hexadecimal
 * @param trace the requests; each allocator that was asked for memory is a device
 * @param pools the allocators by device index
 * @param notes what was inferred or passed over, with counts, a sentence each
 */
public record BfcLog(
    String sha256, AllocationTrace trace, List<BfcPool> pools, List<String> notes) {
  /** Keeps its own copies. */
  public BfcLog {
    pools = List.copyOf(pools);
    notes = List.copyOf(notes);
  }
}
