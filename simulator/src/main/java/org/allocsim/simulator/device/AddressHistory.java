package org.allocsim.simulator.device;

import java.util.Arrays;

/**
 * What others than the program's own segments did to the address space of a process, and when: the
 * driver's own memory, libraries, host memory. Where the driver puts a segment depends on it.
 *
 * <p>Places are bytes relative to the arena, as real addresses differ from process to process.
 * Moments are allocation requests (and blocks that a program restores), counted from 0: a change
 * comes before the segment that the request needs. A history may be learned from a recorded process
 * ({@link AddressHistoryFinder}).
 */
public final class AddressHistory {
  /** Nothing is known of the process. */
  public static final AddressHistory UNKNOWN = new Builder().build();

  /** What happened. */
  enum Change {
    /** The range is no longer to be had, as far as it was. */
    OCCUPY,
    /** What was hidden in the range is to be had again. */
    RELEASE,
    /** A hole came into being in a reservation of another: the range. */
    OPEN_HOLE,
    /** The driver's local memory moved to a larger block; the range says nothing. */
    GROW_LOCAL_MEMORY
  }

  private static final Change[] CHANGES = Change.values();

  private final boolean known;
  private final long[] requests;
  private final byte[] changes;
  private final long[] offsets;
  private final long[] sizes;

  private AddressHistory(
      boolean known, long[] requests, byte[] changes, long[] offsets, long[] sizes) {
    this.known = known;
    this.requests = requests;
    this.changes = changes;
    this.offsets = offsets;
    this.sizes = sizes;
  }

  /** Whether this is the history of a recorded process. */
  public boolean isKnown() {
    return known;
  }

  /** Number of changes. */
  public int count() {
    return requests.length;
  }

  /** Number of the allocation request that a change precedes. */
  public long request(int change) {
    return requests[change];
  }

  /** Kind of a change. */
  Change change(int change) {
    return CHANGES[changes[change]];
  }

  /** Start of the range of a change, relative to the arena. */
  long offsetBytes(int change) {
    return offsets[change];
  }

  /** Length of the range of a change. */
  long bytes(int change) {
    return sizes[change];
  }

  /** Collects changes in the order of their moments. */
  static final class Builder {
    private boolean known;
    private int count;
    private long[] requests = new long[16];
    private byte[] changes = new byte[16];
    private long[] offsets = new long[16];
    private long[] sizes = new long[16];

    /** From here on the history is that of a recorded process, even without any change. */
    void setKnown() {
      known = true;
    }

    int count() {
      return count;
    }

    void add(long request, Change change, long offsetBytes, long sizeBytes) {
      if (count == requests.length) {
        int capacity = Math.addExact(count, count);
        requests = Arrays.copyOf(requests, capacity);
        changes = Arrays.copyOf(changes, capacity);
        offsets = Arrays.copyOf(offsets, capacity);
        sizes = Arrays.copyOf(sizes, capacity);
      }
      requests[count] = request;
      changes[count] = (byte) change.ordinal();
      offsets[count] = offsetBytes;
      sizes[count++] = sizeBytes;
    }

    AddressHistory build() {
      return new AddressHistory(
          known,
          Arrays.copyOf(requests, count),
          Arrays.copyOf(changes, count),
          Arrays.copyOf(offsets, count),
          Arrays.copyOf(sizes, count));
    }
  }
}
