package org.allocsim.analysis.idle.profile;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.allocsim.workloads.format.TimeOrder;

/** Collects the rows of a profile as columns, in the order of the file. */
final class ProfileRows {
  /** Bytes of a row here, in its order, in the profile, and where that is looked at. */
  static final int ROW_BYTES = 130;

  private static final int LANE_BYTES = 400;

  /** Where a row happens. */
  private record Place(boolean isOnGpu, long owner, long number) {}

  private int count;
  private byte[] kinds = new byte[1024];
  private long[] starts = new long[1024];
  private long[] durations = new long[1024];
  private int[] names = new int[1024];
  private int[] lanes = new int[1024];
  private int[] links = new int[1024];
  private long[] bytes = new long[1024];
  private final MemorySamples memory = new MemorySamples();
  private final Map<Integer, String> lines = new HashMap<>();
  private final Map<Place, Integer> laneNumbers = new HashMap<>();
  private Place lastPlace = new Place(false, 0, 0);
  private int lastLane = -1;

  /** Adds a row. */
  void add(
      RowKind kind,
      long startNanos,
      long durationNanos,
      int name,
      long owner,
      long number,
      int link,
      long itsBytes) {
    if (count == kinds.length) {
      int capacity = count + (count >> 1);
      kinds = Arrays.copyOf(kinds, capacity);
      starts = Arrays.copyOf(starts, capacity);
      durations = Arrays.copyOf(durations, capacity);
      names = Arrays.copyOf(names, capacity);
      lanes = Arrays.copyOf(lanes, capacity);
      links = Arrays.copyOf(links, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
    }
    kinds[count] = (byte) kind.ordinal();
    starts[count] = startNanos;
    durations[count] = durationNanos;
    names[count] = name;
    lanes[count] = lane(kind.isOnGpu(), owner, number);
    links[count] = link;
    bytes[count] = itsBytes;
    count++;
  }

  /** Adds what the allocator of a GPU holds after a call. */
  void addMemory(long nanos, long device, long allocatedBytes, long reservedBytes) {
    memory.add(nanos, device, allocatedBytes, reservedBytes);
  }

  /** The program's line of a row, by its number in the order in which rows were added. */
  void addLine(int row, String line) {
    lines.put(row, line);
  }

  private int lane(boolean isOnGpu, long owner, long number) {
    if (lastLane < 0
        || lastPlace.isOnGpu != isOnGpu
        || lastPlace.owner != owner
        || lastPlace.number != number) {
      lastPlace = new Place(isOnGpu, owner, number);
      lastLane = laneNumbers.computeIfAbsent(lastPlace, _ -> laneNumbers.size());
    }
    return lastLane;
  }

  int count() {
    return count;
  }

  /** Bytes that all of it takes, about. */
  long heldBytes() {
    return (long) ROW_BYTES * count
        + (long) MemorySamples.SAMPLE_BYTES * memory.count()
        + (long) LANE_BYTES * laneNumbers.size();
  }

  /** The profile of these rows: by time, enclosing ones before those inside. */
  TimeProfile build(TimeProfile.Source source, long baseNanos, String[] nameTexts) {
    int[] order = TimeOrder.of(starts, count);
    outerFirst(order);
    long base = count == 0 ? 0 : starts[order[0]];
    byte[] sortedKinds = new byte[count];
    long[] sortedStarts = new long[count];
    long[] sortedDurations = new long[count];
    int[] sortedNames = new int[count];
    int[] sortedLanes = new int[count];
    int[] sortedLinks = new int[count];
    long[] sortedBytes = new long[count];
    for (int i = 0; i < count; i++) {
      int row = order[i];
      sortedKinds[i] = kinds[row];
      sortedStarts[i] = starts[row] - base;
      sortedDurations[i] = durations[row];
      sortedNames[i] = names[row];
      sortedLanes[i] = lanes[row];
      sortedLinks[i] = links[row];
      sortedBytes[i] = bytes[row];
    }
    Map<Integer, String> sortedLines = new HashMap<>();
    for (int i = 0; i < count && !lines.isEmpty(); i++) {
      String line = lines.get(order[i]);
      if (line != null) {
        sortedLines.put(i, line);
      }
    }
    TimeProfile.Lane[] laneRows = new TimeProfile.Lane[laneNumbers.size()];
    laneNumbers.forEach((place, lane) ->
        laneRows[lane] = new TimeProfile.Lane(place.isOnGpu, place.owner, place.number));
    return new TimeProfile(
        source,
        baseNanos + base,
        sortedKinds,
        sortedStarts,
        sortedDurations,
        sortedNames,
        sortedLanes,
        sortedLinks,
        sortedBytes,
        nameTexts,
        laneRows,
        memory.from(base),
        sortedLines);
  }

  /** Of rows that begin together the longer come first. */
  private void outerFirst(int[] order) {
    int from = 0;
    while (from < count) {
      int to = from + 1;
      while (to < count && starts[order[to]] == starts[order[from]]) {
        to++;
      }
      if (to - from > 1) {
        sortByDuration(order, from, to);
      }
      from = to;
    }
  }

  private void sortByDuration(int[] order, int from, int to) {
    long[] keys = new long[to - from];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = -durations[order[from + i]];
    }
    int[] places = TimeOrder.of(keys, keys.length);
    int[] rows = Arrays.copyOfRange(order, from, to);
    for (int i = 0; i < rows.length; i++) {
      order[from + i] = rows[places[i]];
    }
  }
}
