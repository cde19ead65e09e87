package org.allocsim.simulator.policy.gmlake;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * GMLake's rules for large requests of one stream, chunk by chunk and with nothing but lists: each
 * chunk knows whether it is free, each search looks at everything. Sizes are chunks; memory is
 * unlimited or a number of chunks; results are chunk lists.
 */
final class NaiveGmLake {
  /** A chunk: its segment, its place there. */
  record Chunk(int segment, int index) {}

  private static final class Stitched {
    final int number;
    final List<Chunk> chunks;
    boolean active = true;
    long address;

    Stitched(int number, List<Chunk> chunks) {
      this.number = number;
      this.chunks = chunks;
    }
  }

  private static final class Run {
    final int segment;
    final int from;
    final int chunks;

    Run(int segment, int from, int chunks) {
      this.segment = segment;
      this.from = from;
      this.chunks = chunks;
    }
  }

  private final int fragLimit;
  private final double reuseLimit;
  private final int capacity;
  private final List<boolean[]> segments = new ArrayList<>();
  private final List<Long> segmentAddress = new ArrayList<>();
  private final List<Stitched> stitched = new ArrayList<>();
  private final Map<Integer, List<Chunk>> live = new HashMap<>();
  private final Map<Integer, Stitched> stitchedOf = new HashMap<>();
  private int stitchedCount;
  private int reserved;

  NaiveGmLake(int fragLimit, double reuseLimit, int capacity) {
    this.fragLimit = fragLimit;
    this.reuseLimit = reuseLimit;
    this.capacity = capacity;
  }

  /** Tells where the segment that was made last lies, which decides ties. */
  void segmentLiesAt(long address) {
    segmentAddress.add(address);
  }

  /** Tells where the stitched block lies that was made for an allocation. */
  void stitchedLiesAt(int allocation, long address) {
    stitchedOf.get(allocation).address = address;
  }

  /** Serves a request; answers what served it, or null. */
  String allocate(int allocation, int chunks) {
    List<Run> free = freeRuns();
    for (Run run : free) {
      if (run.chunks >= chunks) {
        return use(allocation, list(run, chunks), "primitive");
      }
    }
    for (Stitched block : bySizeAndAddress()) {
      if (!block.active
          && block.chunks.stream().allMatch(this::isFree)
          && block.chunks.size() >= chunks) {
        if (block.chunks.size() > chunks * reuseLimit) {
          break;
        }
        block.active = true;
        stitchedOf.put(allocation, block);
        return use(allocation, block.chunks.subList(0, chunks), "reused " + block.number);
      }
    }
    String answer = stitch(allocation, chunks, free);
    if (answer == null) {
      answer = newSegment(allocation, chunks);
    }
    if (answer == null) {
      releaseWhole();
      answer = newSegment(allocation, chunks);
    }
    return answer == null ? stitch(allocation, chunks, freeRuns()) : answer;
  }

  private String stitch(int allocation, int chunks, List<Run> free) {
    int sum = free.stream().mapToInt(run -> run.chunks).sum();
    if (chunks < fragLimit || free.size() < 2 || sum < chunks) {
      return null;
    }
    List<Chunk> taken = new ArrayList<>();
    for (int i = free.size() - 1; taken.size() < chunks; i--) {
      taken.addAll(list(free.get(i), Math.min(free.get(i).chunks, chunks - taken.size())));
    }
    Stitched block = new Stitched(stitchedCount++, taken);
    stitched.add(block);
    stitchedOf.put(allocation, block);
    return use(allocation, taken, "stitched " + block.number);
  }

  private String newSegment(int allocation, int chunks) {
    int size = chunks < 5 ? 10 : chunks;
    if (reserved + size > capacity) {
      return null;
    }
    reserved += size;
    boolean[] free = new boolean[size];
    java.util.Arrays.fill(free, true);
    segments.add(free);
    return use(allocation, list(new Run(segments.size() - 1, 0, size), chunks), "segment");
  }

  /** Segments that are wholly free go, and stitched blocks over them that nobody uses. */
  private void releaseWhole() {
    for (int s = 0; s < segments.size(); s++) {
      boolean[] free = segments.get(s);
      boolean whole = free != null;
      for (int i = 0; whole && i < free.length; i++) {
        whole = free[i];
      }
      if (whole) {
        int segment = s;
        segments.set(s, null);
        reserved -= free.length;
        stitched.removeIf(
            block -> block.chunks.stream().anyMatch(chunk -> chunk.segment() == segment));
      }
    }
  }

  void free(int allocation) {
    List<Chunk> chunks = live.remove(allocation);
    if (chunks == null) {
      return;
    }
    chunks.forEach(chunk -> segments.get(chunk.segment())[chunk.index()] = true);
    Stitched block = stitchedOf.remove(allocation);
    if (block != null) {
      block.active = false;
    }
  }

  private String use(int allocation, List<Chunk> chunks, String how) {
    List<Chunk> own = List.copyOf(chunks);
    own.forEach(chunk -> segments.get(chunk.segment())[chunk.index()] = false);
    live.put(allocation, own);
    return how;
  }

  /** Chunks of an allocation, as numbers of segment and place. */
  List<String> chunkNames(int allocation) {
    return live.get(allocation).stream()
        .map(chunk -> chunk.segment() + ":" + chunk.index())
        .toList();
  }

  private boolean isFree(Chunk chunk) {
    return segments.get(chunk.segment()) != null && segments.get(chunk.segment())[chunk.index()];
  }

  private List<Stitched> bySizeAndAddress() {
    return stitched.stream()
        .sorted(
            Comparator.comparingInt((Stitched block) -> block.chunks.size())
                .thenComparingLong(block -> block.address))
        .toList();
  }

  private static List<Chunk> list(Run run, int chunks) {
    List<Chunk> list = new ArrayList<>();
    for (int i = 0; i < chunks; i++) {
      list.add(new Chunk(run.segment, run.from + i));
    }
    return list;
  }

  private List<Run> freeRuns() {
    List<Run> runs = new ArrayList<>();
    for (int s = 0; s < segments.size(); s++) {
      boolean[] free = segments.get(s);
      for (int i = 0; free != null && i < free.length; i++) {
        int from = i;
        while (i < free.length && free[i]) {
          i++;
        }
        if (i > from) {
          runs.add(new Run(s, from, i - from));
        }
      }
    }
    runs.sort(
        Comparator.comparingInt((Run run) -> run.chunks)
            .thenComparingLong(run -> segmentAddress.get(run.segment))
            .thenComparingInt(run -> run.from));
    return runs;
  }
}
