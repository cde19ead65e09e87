package org.allocsim.simulator.policy.gmlake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.use.StreamUses;

/**
 * GMLake's rules with nothing but lists: memory consists of units, a chunk of 2 MiB or 512 bytes of
 * a small segment; each knows whether it is free, and each search looks at everything. Where the
 * device puts what it gives decides ties, so that it is asked for.
 */
final class NaiveGmLake {
  private static final long CHUNK = 2L << 20;
  private static final long SMALL_UNIT = 512;

  /** How much there is, in chunks. */
  record Bounds(int capacity, int limit, int addresses) {}

  private static final class Segment {
    final int stream;
    final long unitBytes;
    final long address;
    final boolean[] free;

    Segment(int stream, long unitBytes, long address, int units) {
      this.stream = stream;
      this.unitBytes = unitBytes;
      this.address = address;
      free = new boolean[units];
      Arrays.fill(free, true);
    }

    boolean isSmall() {
      return unitBytes == SMALL_UNIT;
    }

    long bytes() {
      return free.length * unitBytes;
    }

    boolean isWhole() {
      for (boolean unit : free) {
        if (!unit) {
          return false;
        }
      }
      return true;
    }
  }

  private record Unit(Segment segment, int index) {
    boolean isFree() {
      return segment.free[index];
    }

    long address() {
      return segment.address + index * segment.unitBytes;
    }
  }

  private record Run(Segment segment, int from, int length) {
    List<Unit> units(int count) {
      List<Unit> units = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        units.add(new Unit(segment, from + i));
      }
      return units;
    }

    long address() {
      return segment.address + from * segment.unitBytes;
    }
  }

  private static final class Stitched {
    final int stream;
    final long address;
    final List<Unit> chunks;
    final Set<Unit> mapped;
    boolean active = true;
    boolean doomed;
    long lastFree;

    Stitched(int stream, long address, List<Unit> chunks) {
      this.stream = stream;
      this.address = address;
      this.chunks = chunks;
      mapped = new HashSet<>(chunks);
    }

    boolean isFree() {
      return !active && chunks.stream().allMatch(Unit::isFree);
    }
  }

  private static final class Request {
    final int id;
    final long requested;
    final int stream;
    final long unitBytes;
    final int units;
    long address;
    List<Unit> used = List.of();
    Stitched stitched;
    boolean pending;

    Request(int id, long requested, int stream) {
      this.id = id;
      this.requested = requested;
      this.stream = stream;
      unitBytes = requested <= 1L << 20 ? SMALL_UNIT : CHUNK;
      units = (int) ((requested + unitBytes - 1) / unitBytes);
    }

    boolean isSmall() {
      return unitBytes == SMALL_UNIT;
    }

    int segmentUnits(int missing) {
      return isSmall() ? 4096 : missing < 5 ? 10 : missing;
    }

    String text() {
      return "%d at %x: %d in %d, stream %d, %s"
          .formatted(id, address, requested, units * unitBytes, stream, isSmall());
    }
  }

  private final GmLakeSettings settings;
  private final Bounds bounds;
  private final LongSupplier given;
  private final List<Segment> segments = new ArrayList<>();
  private final List<Stitched> stitched = new ArrayList<>();
  private final Map<Integer, Request> live = new TreeMap<>();
  private final StreamUses uses = new StreamUses();
  private List<String> effects = new ArrayList<>();
  private long frees;
  private long everStitched;
  private int addresses;

  /** Chunks that were mapped and unmapped so far, and ranges of addresses that went back. */
  long mapped;

  long unmapped;
  long rangesReturned;

  /** How many blocks were stitched. */
  int stitchedCount;

  /** Blocks that were collected before all blocks were. */
  int collectedForAddresses;

  NaiveGmLake(GmLakeSettings settings, Bounds bounds, LongSupplier given) {
    this.settings = settings;
    this.bounds = bounds;
    this.given = given;
  }

  List<String> takeEffects() {
    List<String> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }

  long freeBytes() {
    return bounds.capacity * CHUNK - reservedBytes();
  }

  private long reservedBytes() {
    return segments.stream().mapToLong(Segment::bytes).sum();
  }

  /** Serves a request; answers its address. */
  long allocate(int id, long bytes, int stream) {
    for (int done = uses.pollFinished(); done != StreamUses.NONE; done = uses.pollFinished()) {
      complete(done);
    }
    Request request = new Request(id, bytes, stream);
    boolean served =
        fromFreeRun(request)
            || fromStitched(request)
            || stitch(request, 0)
            || grow(request)
            || stitch(request, 1)
            || retry(request)
            || stitch(request, 2);
    if (!served) {
      effects.add(
          "failed %d: %d in %d of %d, stream %d"
              .formatted(
                  id,
                  bytes,
                  request.units * request.unitBytes,
                  request.segmentUnits(request.units) * request.unitBytes,
                  stream));
      return AllocatorPolicy.OUT_OF_MEMORY;
    }
    return request.address;
  }

  private boolean fromFreeRun(Request request) {
    for (Run run : freeRuns(request)) {
      if (run.length >= request.units) {
        return serve(request, run.units(request.units), run.address());
      }
    }
    return false;
  }

  private boolean fromStitched(Request request) {
    Stitched smallest =
        stitched.stream()
            .filter(block -> !request.isSmall() && block.isFree())
            .filter(block -> block.stream == request.stream && block.chunks.size() >= request.units)
            .min(
                Comparator.comparingInt((Stitched block) -> block.chunks.size())
                    .thenComparingLong(block -> block.address))
            .orElse(null);
    if (smallest == null || smallest.chunks.size() > request.units * settings.reuseLimit()) {
      return false;
    }
    smallest.active = true;
    request.stitched = smallest;
    return serve(request, smallest.chunks.subList(0, request.units), smallest.address);
  }

  private boolean stitch(Request request, int level) {
    List<Run> free = freeRuns(request);
    if (request.isSmall()
        || !settings.stitches()
        || level < settings.defragLevel()
        || request.units * CHUNK < settings.fragLimitBytes()
        || free.size() < 2
        || free.stream().mapToInt(Run::length).sum() < request.units) {
      return false;
    }
    for (int effort = 0; addresses + request.units > bounds.addresses; effort++) {
      if (effort > 2) {
        return false;
      }
      collect(effort, request.units);
    }
    addresses += request.units;
    List<Unit> taken = new ArrayList<>();
    for (int i = free.size() - 1; taken.size() < request.units; i--) {
      Run run = free.get(i);
      taken.addAll(run.units(Math.min(run.length, request.units - taken.size())));
    }
    stitchedCount++;
    mapped += request.units;
    Stitched block = new Stitched(request.stream, given.getAsLong(), taken);
    stitched.add(block);
    request.stitched = block;
    everStitched += request.units;
    if (everStitched * CHUNK > settings.autoGcBytes()) {
      collect(2, 0);
    }
    return serve(request, taken, block.address);
  }

  private boolean grow(Request request) {
    int units = request.segmentUnits(request.units);
    if (bounds.limit >= 0 && reservedBytes() + units * request.unitBytes > bounds.limit * CHUNK) {
      return false;
    }
    boolean ofChunks = !request.isSmall() && settings.stitches();
    if (ofChunks && settings.reallocates()) {
      int cached = freeRuns(request).stream().mapToInt(Run::length).sum();
      if (cached >= request.units) {
        return false;
      }
      units = request.segmentUnits(request.units - cached);
    }
    long bytes = units * request.unitBytes;
    if (bytes > freeBytes()) {
      return false;
    }
    for (int effort = 0; ofChunks && addresses + units > bounds.addresses; effort++) {
      if (freeBytes() == bytes || cachedChunks(request.stream) < units) {
        return false;
      }
      collect(effort, units);
      if (effort == 2) {
        return false;
      }
    }
    if (ofChunks) {
      addresses += units;
      mapped += units;
    }
    Segment segment = new Segment(request.stream, request.unitBytes, given.getAsLong(), units);
    segments.add(segment);
    effects.add(
        "segment at %x: %d, stream %d, %s"
            .formatted(segment.address, bytes, segment.stream, segment.isSmall()));
    return units < request.units
        ? stitch(request, Integer.MAX_VALUE)
        : serve(request, new Run(segment, 0, units).units(request.units), segment.address);
  }

  private int cachedChunks(int stream) {
    return stitched.stream()
        .filter(block -> block.stream == stream && !block.active)
        .mapToInt(block -> block.chunks.size())
        .sum();
  }

  private boolean retry(Request request) {
    release();
    effects.add("retry");
    return grow(request);
  }

  private boolean serve(Request request, List<Unit> units, long address) {
    request.used = List.copyOf(units);
    request.address = address;
    request.used.forEach(unit -> unit.segment.free[unit.index] = false);
    live.put(request.id, request);
    effects.add("block " + request.text());
    return true;
  }

  /** Destroys stitched blocks that nobody holds, as far as the effort goes. */
  private void collect(int effort, int needed) {
    long collected = 0;
    for (int stream = 0; stream < 16; stream++) {
      for (Stitched block : idle(stream, false)) {
        collected += block.chunks.size();
        destroy(block);
        if (needed > 0 && effort < 2) {
          collectedForAddresses++;
          if (collected / (effort == 0 ? 4 : 16) >= needed) {
            break;
          }
        }
      }
    }
    for (int stream = 0; stream < 16 && effort > 0; stream++) {
      for (Stitched block : idle(stream, true)) {
        collected += block.chunks.size();
        destroy(block);
      }
    }
    everStitched -= collected;
  }

  /** Blocks of a stream that nobody holds, those that were freed first first. */
  private List<Stitched> idle(int stream, boolean free) {
    return stitched.stream()
        .filter(block -> block.stream == stream && !block.active && block.isFree() == free)
        .sorted(Comparator.comparingLong(block -> block.lastFree))
        .toList();
  }

  private void destroy(Stitched block) {
    unmapped += block.mapped.size();
    rangesReturned++;
    addresses -= block.chunks.size();
    stitched.remove(block);
  }

  void emptyCache() {
    release();
    collect(2, 0);
  }

  /** Segments that are wholly free go, and stitched blocks over them that nobody holds. */
  private void release() {
    effects.add("synchronized");
    uses.synchronize(StreamUses.ALL_GROUPS, this::complete);
    List<Segment> whole =
        segments.stream()
            .filter(Segment::isWhole)
            .sorted(
                Comparator.comparing(Segment::isSmall)
                    .thenComparingInt(segment -> segment.stream)
                    .thenComparingLong(Segment::bytes)
                    .thenComparingLong(segment -> segment.address))
            .toList();
    for (Segment segment : whole) {
      effects.add(
          "segment at %x goes: %d, stream %d, %s"
              .formatted(segment.address, segment.bytes(), segment.stream, segment.isSmall()));
      segments.remove(segment);
      if (!segment.isSmall() && settings.stitches()) {
        unmapped += segment.free.length;
        rangesReturned++;
        addresses -= segment.free.length;
      }
      for (Stitched block : List.copyOf(stitched)) {
        if (block.mapped.stream().anyMatch(chunk -> chunk.segment == segment)) {
          lose(block, segment);
        }
      }
    }
  }

  private void lose(Stitched block, Segment segment) {
    if (!block.active) {
      destroy(block);
      return;
    }
    block.doomed = true;
    int before = block.mapped.size();
    block.mapped.removeIf(chunk -> chunk.segment == segment);
    unmapped += before - block.mapped.size();
  }

  void free(int id) {
    Request request = live.get(id);
    if (request == null) {
      return;
    }
    if (request.pending) {
      uses.forget(id);
      complete(id);
      return;
    }
    effects.add("free " + request.text());
    if (uses.has(id)) {
      uses.free(id);
      request.pending = true;
    } else {
      complete(id);
    }
  }

  private void complete(int id) {
    Request request = live.remove(id);
    effects.add("freed " + request.text());
    request.used.forEach(unit -> unit.segment.free[unit.index] = true);
    Stitched block = request.stitched;
    if (block != null) {
      block.active = false;
      block.lastFree = ++frees;
      if (block.doomed) {
        destroy(block);
      }
    }
  }

  void useStream(int id, int stream, long rank) {
    Request request = live.get(id);
    if (request != null && stream != request.stream) {
      uses.add(id, 0, request.pending, stream, rank);
    }
  }

  void useComplete(int id, int stream) {
    uses.complete(id, stream);
  }

  void synchronize() {
    uses.completeAll();
  }

  /** The units that are in use, each with its part of which request. */
  List<String> layout() {
    List<String> names = new ArrayList<>();
    for (Request request : live.values()) {
      long rest = request.requested;
      for (Unit unit : request.used) {
        long share = Math.min(rest, request.unitBytes);
        names.add(unitName(unit.address(), request.id, share, request.pending));
        rest -= share;
      }
    }
    names.sort(null);
    return names;
  }

  static String unitName(long address, int allocation, long share, boolean pending) {
    return Long.toHexString(address) + " #" + allocation + " " + share + (pending ? " waits" : "");
  }

  /** Runs of free units that may serve a request, by length, then by address. */
  private List<Run> freeRuns(Request request) {
    return segments.stream()
        .filter(
            segment -> segment.stream == request.stream && segment.unitBytes == request.unitBytes)
        .flatMap(NaiveGmLake::freeRuns)
        .sorted(Comparator.comparingInt(Run::length).thenComparingLong(Run::address))
        .toList();
  }

  private static Stream<Run> freeRuns(Segment segment) {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < segment.free.length; i++) {
      int from = i;
      while (i < segment.free.length && segment.free[i]) {
        i++;
      }
      if (i > from) {
        runs.add(new Run(segment, from, i - from));
      }
    }
    return runs.stream();
  }
}
