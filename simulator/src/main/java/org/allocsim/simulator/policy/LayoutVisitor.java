package org.allocsim.simulator.policy;

/** Sees a policy's segments by ascending (unsigned) address, each followed by its blocks. */
public interface LayoutVisitor {
  /** State of a block. */
  enum BlockState {
    /** Handed out to the program. */
    ACTIVE_ALLOCATED("active_allocated"),
    /** Given back, still in use on another stream. */
    ACTIVE_PENDING_FREE("active_pending_free"),
    /** Cached, reusable. */
    INACTIVE("inactive");

    private final String label;

    BlockState(String label) {
      this.label = label;
    }

    /** The name in PyTorch's snapshots (2.11). */
    public String label() {
      return label;
    }
  }

  /**
   * A segment, or one contiguous mapped run of an expandable segment.
   *
   * @param pool pool number of the trace
   */
  void segment(long address, long bytes, int stream, boolean small, int pool, boolean expandable);

  /**
   * A block of the segment shown last, by ascending address.
   *
   * @param requestedBytes bytes of the last request that the block served, kept while it is free
   */
  void block(long address, long bytes, long requestedBytes, BlockState state, int allocation);
}
