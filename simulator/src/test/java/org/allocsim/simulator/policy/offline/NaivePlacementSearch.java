package org.allocsim.simulator.policy.offline;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.offline.PlacementSearch.Preference;
import org.allocsim.simulator.policy.offline.PlacementSearch.Result;

/**
 * The rules of {@link PlacementSearch} and nothing to make them fast: each node looks at all
 * buffers and all sections anew.
 */
final class NaivePlacementSearch {
  private static final long NOT_PLACED = -1;

  private final long[] bytes;
  private final long[] width;
  private final Sections sections;
  private final long[] offsets;
  private final int[] rank;

  /** Whether two buffers live together. */
  private final boolean[][] meeting;

  private Preference preference = Preference.CROWD_WIDTH;
  private long capacity;
  private long nodesLeft;

  NaivePlacementSearch(long[] bytes, long[] width, Sections sections) {
    this.bytes = bytes;
    this.width = width;
    this.sections = sections;
    offsets = new long[bytes.length];
    rank = new int[bytes.length];
    meeting = new boolean[bytes.length][bytes.length];
    for (int a = 0; a < bytes.length; a++) {
      for (int b = 0; b < bytes.length; b++) {
        int first = Math.max(sections.first(a), sections.first(b));
        meeting[a][b] = a != b && first < Math.min(sections.end(a), sections.end(b));
      }
    }
  }

  long[] offsets() {
    return offsets;
  }

  long nodesLeft() {
    return nodesLeft;
  }

  Result search(long capacityBytes, Preference which, long nodes) {
    preference = which;
    capacity = capacityBytes;
    nodesLeft = nodes;
    Arrays.fill(offsets, NOT_PLACED);
    return fits() ? searchPart(all().boxed().toList(), 0, sections.count()) : Result.NONE;
  }

  private IntStream all() {
    return IntStream.range(0, bytes.length);
  }

  private boolean isPlaced(int buffer) {
    return offsets[buffer] != NOT_PLACED;
  }

  private boolean livesIn(int buffer, int section) {
    return sections.first(buffer) <= section && section < sections.end(buffer);
  }

  private boolean meet(int a, int b) {
    return meeting[a][b];
  }

  private long top(IntStream buffers) {
    return buffers.filter(this::isPlaced).mapToLong(b -> offsets[b] + bytes[b]).max().orElse(0);
  }

  /** The lowest offset at which a buffer can lie above all that are placed. */
  private long least(int buffer) {
    return top(all().filter(other -> meet(buffer, other)));
  }

  private long unplacedBytes(int section) {
    return all().filter(b -> livesIn(b, section) && !isPlaced(b)).mapToLong(b -> bytes[b]).sum();
  }

  private long maxUnplacedBytes(int from, int to) {
    return IntStream.range(from, to).mapToLong(this::unplacedBytes).max().orElse(0);
  }

  /** Whether in every section what is to come fits above what cannot be reached any more. */
  private boolean fits() {
    return IntStream.range(0, sections.count())
        .allMatch(s ->
            all()
                        .filter(b -> livesIn(b, s) && !isPlaced(b))
                        .mapToLong(this::least)
                        .min()
                        .orElse(top(all().filter(b -> livesIn(b, s))))
                    + unplacedBytes(s)
                <= capacity);
  }

  private Result searchPart(List<Integer> unplaced, int from, int to) {
    List<Integer> part =
        unplaced.stream().filter(b -> sections.first(b) >= from && sections.first(b) < to).toList();
    List<Integer> sorted = part.stream().sorted(order()).toList();
    sorted.forEach(buffer -> rank[buffer] = sorted.indexOf(buffer));
    return descend(part, from, to, 0, -1);
  }

  private Comparator<Integer> order() {
    Comparator<Integer> crowd =
        Comparator.comparingLong(b -> -maxUnplacedBytes(sections.first(b), sections.end(b)));
    Comparator<Integer> widest = Comparator.comparingLong(b -> -width[b]);
    Comparator<Integer> area =
        Comparator.comparing(b ->
            BigInteger.valueOf(bytes[b])
                .multiply(BigInteger.valueOf(width[b]))
                .min(BigInteger.valueOf(Long.MAX_VALUE))
                .negate());
    Comparator<Integer> neighbours =
        Comparator.comparingLong(b -> -all().filter(other -> meet(b, other)).count());
    return switch (preference) {
      case CROWD_WIDTH -> crowd.thenComparing(widest).thenComparing(area);
      case CROWD_AREA -> crowd.thenComparing(area).thenComparing(widest);
      case CROWD_NEIGHBOURS -> crowd.thenComparing(neighbours);
      case WIDTH_AREA -> widest.thenComparing(area).thenComparing(crowd);
    };
  }

  private Result descend(
      List<Integer> unplaced, int from, int to, long afterOffset, int afterRank) {
    if (unplaced.isEmpty()) {
      return Result.FOUND;
    }
    if (nodesLeft == 0) {
      return Result.GAVE_UP;
    }
    nodesLeft--;
    long lowestTop = unplaced.stream().mapToLong(b -> least(b) + bytes[b]).min().orElseThrow();
    long highestFit = capacity - maxUnplacedBytes(from, to);
    List<Integer> candidates =
        unplaced.stream()
            .filter(b -> least(b) > afterOffset || (least(b) == afterOffset && rank[b] > afterRank))
            .filter(b -> least(b) < lowestTop && least(b) <= highestFit)
            .filter(b -> unplaced.stream().noneMatch(other -> isEarlierTwin(other, b)))
            .sorted(Comparator.comparingLong(this::least).thenComparingInt(b -> rank[b]))
            .toList();
    for (int buffer : candidates) {
      int rankThen = rank[buffer];
      long offset = least(buffer);
      offsets[buffer] = offset;
      List<Integer> rest = unplaced.stream().filter(b -> b != buffer).toList();
      if (fits()) {
        Result result = divide(buffer, rest, from, to, offset, rankThen);
        if (result != Result.NONE) {
          return result;
        }
      }
      offsets[buffer] = NOT_PLACED;
      if (rest.stream().noneMatch(other -> meet(buffer, other))) {
        return Result.NONE;
      }
    }
    return Result.NONE;
  }

  private boolean isEarlierTwin(int other, int buffer) {
    return rank[other] < rank[buffer]
        && bytes[other] == bytes[buffer]
        && sections.first(other) == sections.first(buffer)
        && sections.end(other) == sections.end(buffer);
  }

  /** Goes on with the rest, in parts where the buffer was the last to connect some sections. */
  private Result divide(
      int placed, List<Integer> rest, int from, int to, long offset, int placedRank) {
    List<Integer> cuts =
        IntStream.range(sections.first(placed) + 1, sections.end(placed))
            .filter(s -> rest.stream().noneMatch(b -> livesIn(b, s - 1) && livesIn(b, s)))
            .boxed()
            .toList();
    if (cuts.isEmpty()) {
      return descend(rest, from, to, offset, placedRank);
    }
    int start = from;
    int[] ranks = rank.clone();
    for (int cut : Stream.concat(cuts.stream(), Stream.of(to)).toList()) {
      Result result = searchPart(rest, start, cut);
      if (result != Result.FOUND) {
        for (int buffer : rest) {
          offsets[buffer] = NOT_PLACED;
          rank[buffer] = ranks[buffer];
        }
        return result;
      }
      start = cut;
    }
    return Result.FOUND;
  }
}
