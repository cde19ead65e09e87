package org.allocsim.workloads.format.bfclog;

import java.util.List;

/** What an allocator did according to its log, in the order in which it did it. */
public sealed interface BfcEffect {
  /** Number of the line that decides the place in the order. */
  long line();

  /** A region was obtained from the device. */
  record Region(long line, long address, long bytes) implements BfcEffect {}

  /**
   * A request was served or failed.
   *
   * @param allocation id in the trace
   * @param address where it was served, 0 where it failed or asked for nothing
   * @param peakBytes the new peak of bytes in use that was announced with it, −1 without
   * @param picture the picture of all regions after it, empty where the log has none
   */
  record Allocation(
      long line, int allocation, long requestedBytes, long address, long peakBytes, String picture)
      implements BfcEffect {
    Allocation with(long newPeakBytes, String newPicture) {
      return new Allocation(line, allocation, requestedBytes, address, newPeakBytes, newPicture);
    }
  }

  /**
   * An allocation was freed.
   *
   * @param merges the merges that were announced with it
   * @param picture the picture of all regions after it, empty where the log has none
   */
  record Free(long line, int allocation, long address, List<Merge> merges, String picture)
      implements BfcEffect {}

  /** The chunk at the higher address became part of the one at the lower address. */
  record Merge(long lowerAddress, long upperAddress) {}
}
