package org.allocsim.analysis.idle.profile;

import java.util.Arrays;

/**
 * What another recording of the same run adds to a profile: calls that Kineto does not record, the
 * lines of the program that made calls, and what the allocator held. Times are from the first row
 * of the profile.
 */
public final class ProfileAdditions {
  private final TimeProfile profile;
  private final ProfileRows rows = new ProfileRows();
  private String[] names;

  /** Nothing yet. */
  public ProfileAdditions(TimeProfile profile) {
    this.profile = profile;
    names = new String[profile.nameCount()];
    Arrays.setAll(names, profile::nameText);
    for (int row = 0; row < profile.count(); row++) {
      add(
          profile.kind(row),
          profile.startNanos(row),
          profile.durationNanos(row),
          profile.nameNumber(row),
          profile.lane(row),
          profile.link(row),
          profile.bytes(row));
    }
  }

  private void add(
      RowKind kind, long startNanos, long nanos, int name, int lane, int link, long bytes) {
    TimeProfile.Lane place = profile.laneOf(lane);
    rows.add(kind, startNanos, nanos, name, place.owner(), place.number(), link, bytes);
  }

  /** The number of a name for {@link #addCall}. */
  public int name(String text) {
    names = Arrays.copyOf(names, names.length + 1);
    names[names.length - 1] = text;
    return names.length - 1;
  }

  /**
   * Adds a call of the host that queues nothing.
   *
   * @param name a number from {@link #name}
   * @param lane the thread
   * @param line the program's line; empty where it is not known
   */
  public void addCall(int name, int lane, long startNanos, long endNanos, String line) {
    if (!line.isEmpty()) {
      rows.addLine(rows.count(), line);
    }
    add(RowKind.CALL, startNanos, endNanos - startNanos, name, lane, TimeProfile.NO_LINK, 0);
  }

  /** Adds the program's line to a row of the profile. */
  public void addLine(int row, String line) {
    rows.addLine(row, line);
  }

  /** Adds what the allocator of a GPU holds after a call. */
  public void addMemory(MemorySamples samples) {
    for (int sample = 0; sample < samples.count(); sample++) {
      rows.addMemory(
          samples.nanos(sample),
          samples.device(sample),
          samples.allocatedBytes(sample),
          samples.reservedBytes(sample));
    }
  }

  /** The profile with all of it; what it had of memory itself is left out. */
  public TimeProfile build() {
    return rows.build(profile.source(), profile.originNanos(), names);
  }
}
