package org.allocsim.simulator.device;

import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;

/**
 * What others than the program's own segments did to the address space of a process, and when: the
 * driver's own memory, libraries, host memory. Where the driver puts a segment depends on it.
 *
 * <p>Places are bytes relative to the arena, as real addresses differ from process to process.
 * Moments are allocation requests (and blocks that a program restores), counted from 0: a change
 * comes before the segment that the request needs. A history may be learned from a recorded
 * process.
 */
public final class AddressHistory {
  /** Nothing is known of the process. */
  public static final AddressHistory UNKNOWN = new Builder().build();

  /** What happened. */
  public enum Change {
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
  private final int[] changes;
  private final long[] offsets;
  private final long[] sizes;

  private AddressHistory(Builder rows) {
    known = rows.known;
    requests = rows.requests.toArray();
    changes = rows.changes.toArray();
    offsets = rows.offsets.toArray();
    sizes = rows.sizes.toArray();
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
  public Change change(int change) {
    return CHANGES[changes[change]];
  }

  /** Start of the range of a change, relative to the arena. */
  public long offsetBytes(int change) {
    return offsets[change];
  }

  /** Length of the range of a change. */
  public long bytes(int change) {
    return sizes[change];
  }

  /** Collects changes in the order of their moments. */
  public static final class Builder {
    private boolean known;
    private final LongColumn requests = new LongColumn();
    private final IntColumn changes = new IntColumn();
    private final LongColumn offsets = new LongColumn();
    private final LongColumn sizes = new LongColumn();

    /** From here on the history is that of a recorded process, even without any change. */
    public void setKnown() {
      known = true;
    }

    /** Number of changes. */
    public int count() {
      return requests.count();
    }

    /** Adds a change before a request, of a range relative to the arena. */
    public void add(long request, Change change, long offsetBytes, long sizeBytes) {
      requests.add(request);
      changes.add(change.ordinal());
      offsets.add(offsetBytes);
      sizes.add(sizeBytes);
    }

    /** The history. */
    public AddressHistory build() {
      return new AddressHistory(this);
    }
  }
}
