package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.order.AddressMap;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.RequestSizes;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.derive.start.DeviceStartFinder;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;

/**
 * Derives the requests of one device's history by running the allocator beside it: the rows that a
 * request must have caused are those that the allocator, in the same state, produces for it. What
 * no request in the history explains (an {@code empty_cache()}, the release of a pool) is inserted
 * where its effects show.
 *
 * <p>Once the allocator does something that the history does not show, its state is of no use any
 * more; the rest is derived from the rows alone.
 */
final class DeviceDerivation {
  /** How one attempt ended. */
  enum Outcome {
    /** Every row is explained. */
    EXPLAINED,
    /** A row contradicts the rules; the rest was derived from the rows alone. */
    DIVERGED,
    /** A segment was found to be in another pool than assumed; the derivation must begin again. */
    POOL_LEARNED,
    /** A step is to be read in another way; the derivation must begin again. */
    OTHER_READING
  }

  /** Largest rest that is not split off in the large pool (PyTorch 2.11). */
  private static final long MAX_SLACK_BYTES = 1L << 20;

  private final EffectLog effects;
  private final DeviceHistory history;
  private final int device;
  private final long[] streamHandles;
  private AllocatorConfig config;
  private long limitBytes;
  private final SegmentPools pools;
  private final PoolLearning learning;
  private final ReadingChoices choices;
  private final DeviceStartFinder.Start start;
  private final AllocationTrace.Builder trace;
  private final MarkerWriter markers;
  private final EffectFollower follower;
  private final RecordedDevice memory;
  private final CachingAllocator policy;
  private final HistoryBounds bounds;

  private final AddressMap live = new AddressMap();
  private final AddressMap pending = new AddressMap();
  private final SegmentMap segments;
  private final Set<Integer> releasedPools = new HashSet<>();
  private final CompletionRows completions;
  private final RecordedCalls calls;
  private final RecordedUses recordedUses;

  /** How many of the recorded calls were made. */
  private int callsMade;

  /** The row after those that belong to the request sent last, whether they were met or not. */
  private int handledTo;

  private final Map<Integer, Anchor> anchors = new HashMap<>();
  private final Counts counts = new Counts();

  /** The first allocation in a segment, by whose place restored blocks are found again. */
  private record Anchor(int allocation, long address) {}

  /** What was inferred so far. */
  static final class Counts {
    long certainEmptyCaches;
    long likelyEmptyCaches;
    long likelyRetries;

    /** The smallest total that was refused if these were retries. */
    long lowestRetriedBytes = Long.MAX_VALUE;

    long highestGrantedBytes;
    long streamUses;
    long releasedPools;
    long restoredBlocks;
    long unknownFrees;
    int firstUnknownFree = -1;
    int firstUnexplainedRow = -1;

    /** A row that obtains memory which is held already, −1 where none does. */
    int overlappingRow = -1;

    /** A row frees an address at which nothing is allocated. */
    void unknownFree(int row) {
      firstUnknownFree = unknownFrees++ == 0 ? row : firstUnknownFree;
    }
  }

  DeviceDerivation(
      DeviceHistory history,
      HistoryRows rows,
      int device,
      long[] streamHandles,
      DerivationOptions options,
      SegmentPools pools,
      PoolLearning learning,
      ReadingChoices choices,
      DeviceStartFinder.Start start,
      RecordedCalls calls,
      AllocationTrace.Builder trace,
      List<Annotation> annotations) {
    this.history = history;
    this.effects = history.effects();
    this.device = device;
    this.streamHandles = streamHandles;
    this.config = options.config();
    this.limitBytes = options.limitBytes();
    this.pools = pools;
    this.learning = learning;
    this.choices = choices;
    this.start = start;
    this.trace = trace;
    this.calls = calls;
    markers = new MarkerWriter(trace, annotations, device);
    follower = new EffectFollower(effects, 0);
    memory = new RecordedDevice(effects, follower::position, options.deviceTotalBytes());
    policy = new CachingAllocator(config, options.version(), limitBytes, memory, follower);
    if (calls.changeAllocator()) {
      policy.expectChanges(ConfigParser::changeOrKeep);
    }
    bounds = HistoryBounds.of(rows, reservedBytes(start.layout()), config);
    counts.highestGrantedBytes = bounds.highestGrantedBytes();
    segments = new SegmentMap(history, pools, start.layout(), calls);
    completions = new CompletionRows(effects);
    recordedUses =
        new RecordedUses(
            options
                .facts()
                .flatMap(facts -> facts.device(device))
                .map(RecordedFacts.Device::streamUses)
                .orElse(List.of()));
    restoreStart();
  }

  private static long reservedBytes(MemoryLayout layout) {
    long bytes = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      bytes += layout.segmentBytes(segment);
    }
    return bytes;
  }

  private void restoreStart() {
    MemoryLayout layout = start.layout();
    policy.restore(layout);
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      memory.hold(layout.segmentAddress(segment), layout.segmentBytes(segment));
    }
    start.liveAllocations().forEach(live::put);
    start
        .pendingAllocations()
        .forEach((address, allocation) -> {
          pending.put(address, allocation);
          if (!trace.isLive(allocation)) {
            policy.useStream(
                allocation, AllocationTrace.UNKNOWN_STREAM, completions.firstAt(address));
          }
        });
  }

  Counts counts() {
    return counts;
  }

  Outcome run() {
    while (follower.position() < effects.count()) {
      int row = follower.position();
      handledTo = row;
      at(row);
      if (isCallDue(row)) {
        make(calls.call(callsMade++), row);
        if (!follower.hasDiverged()) {
          continue;
        }
      } else {
        step(row);
      }
      if (follower.hasDiverged() || follower.position() == row) {
        if (choices.advance(row, follower.position())) {
          return Outcome.OTHER_READING;
        }
        if (follower.hasDiverged() && learnPool()) {
          choices.reset(row);
          return Outcome.POOL_LEARNED;
        }
        counts.firstUnexplainedRow = follower.position();
        new RowwiseDerivation(history, streamHandles, this::poolOf, this::at, trace, live, pending)
            .run(handledTo, counts);
        break;
      }
    }
    if (effects.count() == 0) {
      // A process calls for all GPUs, and this one may not have been used.
      trace.at(device, 0, StackTable.NONE);
    }
    while (counts.firstUnexplainedRow < 0 && callsMade < calls.count()) {
      make(calls.call(callsMade++), effects.count());
    }
    markers.writeRest();
    counts.overlappingRow = memory.overlappingRow();
    return counts.firstUnexplainedRow < 0 ? Outcome.EXPLAINED : Outcome.DIVERGED;
  }

  private void at(int row) {
    markers.writeUpTo(history.timeNanos(row));
    trace.at(device, history.timeNanos(row), history.stack(row));
  }

  /** Whether a recorded call comes next; what it releases stands after the entry of a snapshot. */
  private boolean isCallDue(int row) {
    return callsMade < calls.count()
        && calls.row(callsMade) <= row
        && effects.kind(row) != EffectKind.SNAPSHOT;
  }

  /** Makes a recorded call before a row. */
  private void make(RecordedFacts.Call call, int row) {
    switch (call.kind()) {
      case EMPTY_CACHE -> emptyCache();
      case EMPTY_POOL -> {
        trace.emptyPool(call.pool());
        policy.emptyPool(trace.declarePool(call.pool()));
      }
      case RELEASE_POOL -> giveUp(call.pool());
      case CHANGE_SETTINGS -> {
        trace.changeSettings(call.settings());
        policy.changeSettings(call.settings());
        config = policy.settings();
      }
      case CHANGE_LIMIT -> {
        limitBytes = call.limitBytes();
        trace.changeLimit(limitBytes);
        policy.changeLimit(limitBytes);
      }
      // Which requests went to the pool is known from the rows between.
      case BEGIN_POOL, END_POOL -> {}
    }
    handledTo = follower.position();
    if (!follower.hasDiverged()) {
      followRows(row, follower.position());
    }
  }

  /** Finds the request that caused the row, sends it to the allocator and appends it. */
  private void step(int row) {
    switch (effects.kind(row)) {
      case FREE_REQUESTED -> free(row);
      case SNAPSHOT -> {
        trace.snapshot();
        follower.skipRow();
        handledTo = row + 1;
      }
      case FREE_COMPLETED -> {
        if (isInterruptedFree(row)) {
          int allocation = (int) pending.remove(effects.address(row));
          trace.free(allocation);
          policy.free(allocation);
          handledTo = row + 1;
        } else {
          stepTowardsRequest(row);
        }
      }
      default -> stepTowardsRequest(row);
    }
    if (!follower.hasDiverged()) {
      followRows(row, follower.position());
    }
  }

  private boolean isInterruptedFree(int row) {
    int allocation = (int) pending.get(effects.address(row));
    return allocation != AddressMap.NONE && trace.isLive(allocation);
  }

  /** Keeps the maps of blocks and segments up to the rows that were explained. */
  private void followRows(int from, int to) {
    for (int row = from; row < to && pending.size() > 0; row++) {
      if (effects.kind(row) == EffectKind.FREE_COMPLETED) {
        pending.remove(effects.address(row));
      }
    }
    segments.followTo(to);
  }

  private void free(int row) {
    long address = effects.address(row);
    int allocation = (int) live.remove(address);
    if (allocation == AddressMap.NONE) {
      counts.unknownFree(row);
      return;
    }
    boolean completesNext =
        row + 1 < effects.count()
            && effects.kind(row + 1) == EffectKind.FREE_COMPLETED
            && effects.address(row + 1) == address;
    boolean isRecorded = recordedUses.takeUntil(address, history.timeNanos(row));
    if (!completesNext) {
      counts.streamUses += isRecorded ? 0 : 1;
      long rank = completions.of(row);
      trace.useUnknownStream(allocation, rank);
      policy.useStream(allocation, AllocationTrace.UNKNOWN_STREAM, rank);
      pending.put(address, allocation);
    }
    trace.free(allocation);
    policy.free(allocation);
    handledTo = completesNext ? row + 2 : row + 1;
  }

  /** Rows that lead to an allocation or failure, or to nothing: reads them and acts on it. */
  private void stepTowardsRequest(int row) {
    if (effects.kind(row) == EffectKind.ALLOC) {
      // Nothing comes before the request, so there is nothing to choose.
      choices.only(row);
      allocate(row, poolOf(row));
      return;
    }
    Step step = Step.at(effects, row);
    List<Reading> readings = readings(step);
    if (readings.isEmpty()) {
      return;
    }
    switch (choices.choose(row, readings)) {
      case Reading.OneRequest(int completedBefore, PoolId pool) -> {
        countRetry(step);
        completeUses(row, row + completedBefore);
        allocate(step.request(), pool);
      }
      case Reading.CacheEmptied(int released) -> {
        if (step.releases()) {
          releaseCache(step.firstRelease(), released);
        } else {
          counts.likelyEmptyCaches++;
          handledTo = step.row() + step.completions();
          emptyCache();
        }
      }
    }
  }

  /** The ways to read a step, the most natural first. */
  private List<Reading> readings(Step step) {
    List<Reading> readings = new ArrayList<>();
    if (step.requested()) {
      PoolId pool = poolOf(step.request());
      for (int completed : completedBefore(step, pool)) {
        readings.add(new Reading.OneRequest(completed, pool));
      }
      if (step.failed() && step.allCompletions() == 0 && !step.releases()) {
        for (PoolId other : pools.pools()) {
          if (!other.equals(pool)) {
            readings.add(new Reading.OneRequest(0, other));
          }
        }
      }
    }
    // Emptying the cache waits for the device, so nothing can be pending after it.
    boolean allComplete = pending.size() == step.allCompletions();
    if (step.releases()) {
      boolean first = !step.requested() || (!calls.areKnown() && !isReleasedByRequest(step));
      List<PoolId> released = releasedPools(step.firstRelease());
      readings.add(first ? 0 : readings.size(), new Reading.CacheEmptied(released.size()));
      // What ended right after the cache was emptied released its memory by itself.
      for (int last = released.size() - 1; last > 0 && isNamed(released.get(last)); last--) {
        readings.add(new Reading.CacheEmptied(last));
      }
    } else if (step.completions() > 0 && (allComplete || !step.requested())) {
      // During a capture no request looks for finished uses.
      boolean first = step.requested() && !poolOf(step.request()).isDefault();
      readings.add(first ? 0 : readings.size(), new Reading.CacheEmptied(0));
    }
    return readings;
  }

  /**
   * How many of the frees that complete first may have been finished when the request came, the
   * most natural first. The others complete in the wait for the device before a full release, after
   * which nothing is pending.
   */
  private int[] completedBefore(Step step, PoolId pool) {
    int most = step.completions();
    boolean mayWait =
        pool.isDefault()
            && (step.failed() || step.releases())
            && pending.size() == step.allCompletions();
    if (!mayWait || most == 0) {
      return new int[] {most};
    }
    boolean releasesSome =
        config.maxSplitBytes() != AllocatorConfig.UNLIMITED || policy.exceedsGarbageThreshold();
    int[] counts = new int[most + 1];
    for (int i = 0; i <= most; i++) {
      counts[i] = releasesSome ? most - i : i;
    }
    return counts;
  }

  /** Whether the release is the request's own: it found no block and was refused memory. */
  private boolean isReleasedByRequest(Step step) {
    int request = step.request();
    long bytes = effects.bytes(request);
    int pool = trace.declarePool(poolOf(request));
    if (!step.failed() && !step.grows() && !config.expandableSegments()) {
      // Only an expandable segment can serve after a release without obtaining memory.
      return false;
    }
    if (pool != 0 && config.maxSplitBytes() == AllocatorConfig.UNLIMITED) {
      return false;
    }
    if (policy.cachedAddressFor(bytes, effects.stream(request), pool) != -1) {
      return false;
    }
    if (step.completions() > 0 && policy.exceedsGarbageThreshold()) {
      // Which blocks are old is known only after the frees that complete first.
      return true;
    }
    long garbage = policy.firstGarbageAddress();
    if (garbage != -1) {
      return garbage == effects.address(step.firstRelease());
    }
    if (step.failed()) {
      return true;
    }
    long neededBytes = neededBytes(step);
    if (limitBytes >= 0 && neededBytes > limitBytes) {
      return true;
    }
    return switch (bounds.judge(neededBytes)) {
      case REFUSED -> true;
      case GRANTED -> false;
      case UNDECIDED ->
          limitBytes < 0 && counts.certainEmptyCaches == 0 && !isReleasedElsewhere(step);
    };
  }

  /** What would be reserved with the segment that a request needs. */
  private long neededBytes(Step step) {
    return policy.reservedBytes() + config.segmentBytesFor(effects.bytes(step.request()));
  }

  /** Counts a release that is taken for the request's own although nothing proves a refusal. */
  private void countRetry(Step step) {
    long neededBytes = neededBytes(step);
    if (step.releases()
        && limitBytes < 0
        && !calls.areKnown()
        && bounds.judge(neededBytes) == HistoryBounds.Judgement.UNDECIDED) {
      counts.likelyRetries++;
      counts.lowestRetriedBytes = Math.min(counts.lowestRetriedBytes, neededBytes);
    }
  }

  /**
   * Whether the stacks tell that something else than the request released memory: PyTorch records a
   * release with the stack of the call that led to it (2.1 to 2.14). A release without a stack
   * tells nothing: stacks may be recorded of allocations only.
   */
  private boolean isReleasedElsewhere(Step step) {
    int released = history.stack(step.firstRelease());
    int requested = history.stack(step.request());
    return released > StackTable.NONE && requested > StackTable.NONE && released != requested;
  }

  private void completeUses(int from, int to) {
    for (int row = from; row < to; row++) {
      if (effects.kind(row) != EffectKind.FREE_COMPLETED) {
        return;
      }
      int allocation = (int) pending.get(effects.address(row));
      if (allocation == AddressMap.NONE) {
        counts.unknownFree(row);
        return;
      }
      trace.useComplete(allocation);
      policy.useComplete(allocation, AllocationTrace.ANY_STREAM);
    }
  }

  private void allocate(int request, PoolId pool) {
    boolean failed = effects.kind(request) == EffectKind.OOM;
    int stream = effects.stream(request);
    at(request);
    handledTo = request + 1;
    if (!pool.isDefault() && isRestored(request, trace.declarePool(pool))) {
      restoreBlock(request, pool);
      return;
    }
    int allocation = trace.allocate(effects.bytes(request), streamHandles[stream], pool);
    policy.allocate(allocation, effects.bytes(request), stream, trace.declarePool(pool));
    if (!pool.isDefault() && !failed) {
      anchors.putIfAbsent(
          segments.ofRequest(request, follower.position()),
          new Anchor(allocation, effects.address(request)));
    }
    if (failed) {
      // Should another setting serve it, the program is taken not to have kept it.
      trace.free(allocation);
      policy.free(allocation);
    } else {
      live.put(effects.address(request), allocation);
    }
  }

  /**
   * Whether a private pool was being put back into an earlier state: the block lies where best fit
   * would not have put it, or its rest was split off although it is too small for that.
   */
  private boolean isRestored(int request, int pool) {
    long address = effects.address(request);
    long bytes = effects.bytes(request);
    int stream = effects.stream(request);
    if (request != follower.position() || bytes % RequestSizes.MIN_BLOCK_BYTES != 0) {
      return false;
    }
    long freeBytes = policy.freeBytesAt(address, stream, pool);
    if (freeBytes < bytes) {
      return false;
    }
    if (policy.cachedAddressFor(bytes, stream, pool) != address) {
      return true;
    }
    boolean restIsUsedNext =
        request + 1 < effects.count()
            && effects.kind(request + 1) == EffectKind.ALLOC
            && effects.address(request + 1) == address + bytes;
    return freeBytes > bytes
        && freeBytes - bytes <= MAX_SLACK_BYTES
        && keepsSlack(bytes)
        && restIsUsedNext;
  }

  /** Whether a request keeps a small rest of the block that serves it. */
  private boolean keepsSlack(long bytes) {
    return bytes > RequestSizes.SMALL_REQUEST_BYTES && !config.expandableSegments();
  }

  private void restoreBlock(int request, PoolId pool) {
    long address = effects.address(request);
    long bytes = effects.bytes(request);
    int stream = effects.stream(request);
    Anchor anchor = anchors.get(segments.ofRequest(request, follower.position()));
    int allocation =
        anchor == null
            ? trace.restoreBlock(
                bytes, streamHandles[stream], pool, AllocationTrace.NO_ALLOCATION, address)
            : trace.restoreBlock(
                bytes, streamHandles[stream], pool, anchor.allocation, address - anchor.address);
    policy.restoreBlock(allocation, bytes, stream, trace.declarePool(pool), address);
    live.put(address, allocation);
    counts.restoredBlocks++;
  }

  private PoolId poolOf(int request) {
    return segments.poolOf(request, follower.position());
  }

  private void emptyCache() {
    trace.emptyCache();
    policy.emptyCache();
  }

  /**
   * The pools whose memory is released at once from a row on, in the order of the rows. The default
   * pool comes first where the cache is emptied, so what a user's pool releases ahead of all others
   * is released with that pool alone; a pool that the history does not name may have it all.
   */
  private List<PoolId> releasedPools(int firstRelease) {
    SequencedSet<PoolId> released = new LinkedHashSet<>();
    for (int row = firstRelease; row < effects.count() && segments.isRelease(row); row++) {
      released.add(poolAt(effects.address(row)));
      if (isUsers(released.getFirst()) && isNamed(released.getFirst())) {
        break;
      }
    }
    return List.copyOf(released);
  }

  private PoolId poolAt(long address) {
    int segment = segments.around(address);
    return segment == SegmentPools.NONE ? PoolId.DEFAULT : pools.pool(segment);
  }

  /**
   * The cache was emptied, or a private pool that was given up.
   *
   * @param most how many pools released memory by that; what others released comes after it
   */
  private void releaseCache(int firstRelease, int most) {
    SequencedSet<PoolId> released = new LinkedHashSet<>();
    for (int row = firstRelease; row < effects.count() && segments.isRelease(row); row++) {
      PoolId pool = poolAt(effects.address(row));
      if (released.size() == most && !released.contains(pool)) {
        break;
      }
      released.add(pool);
      handledTo = row + 1;
    }
    if (isUsers(released.getFirst()) && !released.contains(PoolId.DEFAULT)) {
      PoolId emptied = released.getFirst();
      inferGivenUp(emptied);
      trace.emptyPool(emptied);
      policy.emptyPool(trace.declarePool(emptied));
      return;
    }
    // Pools whose identities have one hash are released in the order in which they were given up:
    // that of the rows.
    for (PoolId pool : released) {
      if (!pool.isDefault()) {
        inferGivenUp(pool);
      }
    }
    counts.certainEmptyCaches++;
    emptyCache();
  }

  private static boolean isUsers(PoolId pool) {
    return pool.capture() == 0 && !pool.isDefault();
  }

  /** Whether a pool is a private one that the history names. */
  private static boolean isNamed(PoolId pool) {
    return pool.isPyTorchs() && !pool.isDefault();
  }

  private void inferGivenUp(PoolId pool) {
    if (giveUp(pool)) {
      counts.releasedPools++;
    }
  }

  /** Whether it was in use before. */
  private boolean giveUp(PoolId pool) {
    int number = trace.declarePool(pool);
    if (!releasedPools.add(number)) {
      return false;
    }
    trace.releasePool(pool);
    policy.releasePool(number, pool);
    return true;
  }

  /** Whether the history released memory up to a row, and the allocator would have gone on. */
  private boolean isAfterReleases(int row) {
    return row > 0
        && segments.isRelease(row - 1)
        && (row == effects.count() || !segments.isRelease(row));
  }

  /**
   * Where the allocator used or released a segment that the history left alone, some segment is in
   * another pool than assumed.
   */
  private boolean learnPool() {
    EffectKind did = follower.actualKind();
    int row = follower.position();
    boolean released = did == EffectKind.SEGMENT_FREE || did == EffectKind.SEGMENT_UNMAP;
    if (did != EffectKind.ALLOC && !released) {
      return false;
    }
    return learning.learn(
        row,
        segments.around(follower.actualAddress()),
        did == EffectKind.ALLOC ? segments.ofRow(row) : SegmentPools.NONE,
        segments.releaseRunStart(released && isAfterReleases(row) ? row - 1 : row));
  }
}
