package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.derive.Inference.Confidence;
import org.allocsim.workloads.format.pytorch.derive.start.DeviceStartFinder;
import org.allocsim.workloads.format.pytorch.derive.start.PrologueWriter;
import org.allocsim.workloads.format.pytorch.derive.start.Torn;
import org.jspecify.annotations.Nullable;

/**
 * Splits a snapshot's history, which mixes what the program asked for with what the allocator did,
 * into requests. What leaves no entry of its own is inferred: emptied caches, uses on other
 * streams, private pools, and what existed before the first entry.
 */
public final class RequestDerivation {
  /** Segments in unknown private pools and misread releases are found one at a time. */
  private static final int MAX_ATTEMPTS = 256;

  private final Snapshot snapshot;
  private final DerivationOptions options;
  private final List<LimitSearch.Limit> limits;
  private final List<HistoryRows> rows;
  private final List<RecordedCalls> calls;
  private final List<SegmentPools> pools = new ArrayList<>();
  private final List<ReadingChoices> choices = new ArrayList<>();
  private final List<PoolLearning> learnings = new ArrayList<>();

  /** Devices whose history is known to begin after the first allocation, and known not to. */
  private final BitSet late = new BitSet();

  private final BitSet notLate = new BitSet();
  private final List<Inference> inferences = new ArrayList<>();
  private final List<Long> unexplained = new ArrayList<>();
  private final List<DerivedRequests.Limit> shownLimits = new ArrayList<>();

  private RequestDerivation(
      Snapshot snapshot,
      List<HistoryRows> rows,
      DerivationOptions options,
      List<LimitSearch.Limit> limits) {
    this.snapshot = snapshot;
    this.rows = rows;
    this.options = options;
    this.limits = limits;
    calls =
        IntStream.range(0, rows.size())
            .mapToObj(device ->
                options
                    .facts()
                    .flatMap(facts -> facts.device(device))
                    .map(facts -> RecordedCalls.of(facts, rows.get(device).effects()))
                    .orElse(RecordedCalls.UNKNOWN))
            .toList();
  }

  /**
   * The requests of all devices of a snapshot.
   *
   * @param said what is known beside the snapshot; what was recorded with it goes before that
   */
  public static DerivedRequests derive(Snapshot snapshot, DerivationOptions said) {
    List<HistoryRows> rows =
        snapshot.devices().stream().map(device -> new HistoryRows(device.effects())).toList();
    DerivationOptions options = snapshot.facts().map(said::with).orElse(said);
    LimitSearch search = LimitSearch.of(snapshot, rows, options);
    DerivedRequests requests =
        search.run(limits -> new RequestDerivation(snapshot, rows, options, limits).derive());
    if (options.facts().isEmpty() || requests.unexplainedEntries() == 0) {
      return requests;
    }
    // Threads that run side by side can have moved a call past the requests of others.
    DerivedRequests inferred =
        search.run(limits ->
            new RequestDerivation(snapshot, rows, options.withoutFacts(), limits).derive());
    return inferred.unexplainedEntries() < requests.unexplainedEntries() ? inferred : requests;
  }

  private DerivedRequests derive() {
    for (int attempt = 0; ; attempt++) {
      DerivedRequests requests = attempt(attempt >= MAX_ATTEMPTS);
      if (requests != null) {
        return requests;
      }
    }
  }

  /** One attempt; null where something was learned and the next attempt will get further. */
  private @Nullable DerivedRequests attempt(boolean last) {
    inferences.clear();
    unexplained.clear();
    shownLimits.clear();
    int requests = rows.stream().mapToInt(HistoryRows::requestCount).sum();
    AllocationTrace.Builder trace = new AllocationTrace.Builder(requests);
    for (long handle : snapshot.streamHandles()) {
      trace.declareStream(handle);
    }
    List<DeviceStartFinder.Start> starts = new ArrayList<>();
    for (int device = 0; device < snapshot.devices().size(); device++) {
      starts.add(start(device, trace));
    }
    trace.endPrologue();
    for (int device = 0; device < snapshot.devices().size(); device++) {
      if (pools.size() == device) {
        DeviceHistory history = snapshot.devices().get(device);
        pools.add(
            new SegmentPools(
                history,
                rows.get(device),
                segments(device),
                starts.get(device).layout(),
                starts.get(device).pools(),
                calls.get(device)));
        choices.add(new ReadingChoices());
        learnings.add(new PoolLearning(pools.get(device)));
      }
      pools.get(device).pools().forEach(trace::declarePool);
      DeviceDerivation derivation =
          new DeviceDerivation(
              snapshot.devices().get(device),
              rows.get(device),
              device,
              snapshot.streamHandles(),
              options.withLimit(limits.get(device).bytes()),
              pools.get(device),
              learnings.get(device),
              choices.get(device),
              starts.get(device),
              calls.get(device),
              trace,
              snapshot.annotations());
      DeviceDerivation.Outcome outcome = derivation.run();
      if (learnLateStart(device, starts.get(device), outcome, derivation.counts())) {
        return null;
      }
      if (outcome != DeviceDerivation.Outcome.EXPLAINED
          && outcome != DeviceDerivation.Outcome.DIVERGED
          && !last) {
        return null;
      }
      report(device, derivation.counts(), starts.get(device));
    }
    return new DerivedRequests(
        trace.build(snapshot.stacks()),
        starts.stream()
            .map(start -> new DerivedRequests.DeviceStart(start.layout(), start.complete()))
            .toList(),
        shownLimits,
        unexplained,
        inferences);
  }

  /**
   * The limit of a device. Every one between the most that was granted and the least that was
   * refused explains the same history, but where garbage is collected, whose time depends on it.
   */
  private DerivedRequests.Limit shownLimit(int device, DeviceDerivation.Counts counts) {
    long bytes = limitOfRetries(device, counts);
    boolean isKnown = bytes == limits.get(device).bytes() && !limits.get(device).isInferred();
    return new DerivedRequests.Limit(bytes, isKnown ? bytes : counts.highestGrantedBytes);
  }

  /**
   * The limit that is known, else the highest that refuses what was retried, if that explains the
   * whole history. The device may have refused as well; under its own memory it did the same,
   * unless the allocator collects garbage: it does under a limit, and this history is explained
   * without.
   */
  private long limitOfRetries(int device, DeviceDerivation.Counts counts) {
    long knownBytes = limits.get(device).bytes();
    long retries = counts.likelyRetries;
    if (knownBytes >= 0
        || options.config().garbageCollectionThreshold() > 0
        || options.facts().isPresent()
        || retries == 0
        || counts.firstUnexplainedRow >= 0
        || counts.lowestRetriedBytes <= counts.highestGrantedBytes) {
      return knownBytes;
    }
    long limitBytes = counts.lowestRetriedBytes - 1;
    infer(
        device,
        "memory limits",
        1,
        Confidence.LIKELY,
        "memory was released and requested again "
            + (retries == 1 ? "once" : retries + " times")
            + ", as if the limit were between "
            + ByteFormat.human(counts.highestGrantedBytes)
            + " and "
            + ByteFormat.human(limitBytes)
            + " ("
            + limitBytes
            + " bytes)");
    return limitBytes;
  }

  private DeviceStartFinder.Start start(int device, AllocationTrace.Builder trace) {
    DeviceHistory history = snapshot.devices().get(device);
    long timeNanos = history.effects().count() == 0 ? 0 : history.timeNanos(0);
    PrologueWriter prologue =
        new PrologueWriter(trace, snapshot.streamHandles(), device, timeNanos);
    List<SnapshotSegment> segments = segments(device);
    return late.get(device) || !DeviceStartFinder.accountsForMemory(history.effects(), segments)
        ? DeviceStartFinder.find(history, segments, options.config(), prologue)
        : DeviceStartFinder.nothing();
  }

  /**
   * Learns whether a history that was taken to begin with nothing frees what it never handed out.
   * One that is explained does not, and most are: only for others all rows are looked at.
   *
   * @return whether it does, so that the derivation must begin again
   */
  private boolean learnLateStart(
      int device,
      DeviceStartFinder.Start start,
      DeviceDerivation.Outcome outcome,
      DeviceDerivation.Counts counts) {
    boolean isExplained = outcome == DeviceDerivation.Outcome.EXPLAINED && counts.unknownFrees == 0;
    if (isExplained || !start.complete() || notLate.get(device)) {
      return false;
    }
    if (DeviceStartFinder.accountsForBlocks(snapshot.devices().get(device).effects())) {
      notLate.set(device);
      return false;
    }
    late.set(device);
    // What was learned of its pools was learned beside a wrong start.
    pools.subList(device, pools.size()).clear();
    choices.subList(device, choices.size()).clear();
    learnings.subList(device, learnings.size()).clear();
    return true;
  }

  private List<SnapshotSegment> segments(int device) {
    return snapshot.segments().stream().filter(segment -> segment.device() == device).toList();
  }

  private void report(int device, DeviceDerivation.Counts counts, DeviceStartFinder.Start start) {
    LimitSearch.Limit limit = limits.get(device);
    shownLimits.add(shownLimit(device, counts));
    if (!start.complete()) {
      infer(
          device,
          "blocks that existed before the first entry",
          (long) start.liveAllocations().size() + start.pendingAllocations().size(),
          start.contradictions() == 0 ? Confidence.LIKELY : Confidence.GUESS,
          "found by undoing the history from the segments at its end; sizes of blocks freed since"
              + " then are their rounded requests plus what later neighbours show");
      infer(
          device,
          "entries that cannot be undone",
          start.contradictions(),
          Confidence.GUESS,
          "they contradict the state around them, first at "
              + (start.firstContradiction() == rows.get(device).effects().count()
                  ? "at the end"
                  : "at entry " + start.firstContradiction())
              + ", so the start may be wrong there");
    }
    infer(
        device,
        Inference.EMPTY_CACHE_CALLS,
        counts.certainEmptyCaches,
        Confidence.CERTAIN,
        "memory was released without a failed request to explain it");
    infer(
        device,
        Inference.EMPTY_CACHE_CALLS,
        counts.likelyEmptyCaches,
        Confidence.LIKELY,
        "frees completed, or memory was released, without a request");
    infer(
        device,
        "releases taken as retries of failed requests",
        counts.likelyRetries,
        Confidence.LIKELY,
        "after them, more memory was obtained than ever before; without stacks, an empty_cache()"
            + " call right before would look the same, and the limit is unknown");
    infer(
        device,
        "blocks used on another stream",
        counts.streamUses,
        Confidence.CERTAIN,
        "their free completed later than requested; the stream is not recorded");
    SegmentPools devicePools = pools.get(device);
    infer(
        device,
        "private pools",
        calls.get(device).areKnown() ? 0 : devicePools.knownPrivateCount(),
        Confidence.CERTAIN,
        "segments at the end identify their pool");
    infer(
        device,
        Inference.SEGMENTS_OF_GONE_POOLS,
        devicePools.assumedCount(),
        Confidence.LIKELY,
        "the default pool would have used or released them when the history did not");
    infer(
        device,
        "private pools released",
        counts.releasedPools,
        Confidence.CERTAIN,
        "their segments were released");
    infer(
        device,
        "blocks restored to their place by CUDA graph trees",
        counts.restoredBlocks,
        Confidence.CERTAIN,
        "best fit would not have placed them there in a private pool");
    infer(
        device,
        Inference.UNKNOWN_FREES,
        counts.unknownFrees,
        Confidence.GUESS,
        "no allocation is live there, first at entry " + counts.firstUnknownFree);
    infer(
        device,
        Inference.MEMORY_HELD_TWICE,
        counts.overlappingRow < 0 ? 0 : 1,
        Confidence.CERTAIN,
        "entry "
            + counts.overlappingRow
            + " obtains memory that is already held, which is impossible");
    inferTorn(device, start.torn());
    if (limit.isInferred()) {
      infer(
          device,
          "memory limits",
          1,
          Confidence.LIKELY,
          "a limit of "
              + ByteFormat.human(limit.bytes())
              + " ("
              + limit.bytes()
              + " bytes) explains the failures and releases");
    }
    long entries = snapshot.devices().get(device).effects().count();
    unexplained.add(counts.firstUnexplainedRow < 0 ? 0 : entries - counts.firstUnexplainedRow);
    if (counts.firstUnexplainedRow >= 0) {
      infer(
          device,
          "entries derived without the allocator's state",
          unexplained.getLast(),
          Confidence.GUESS,
          "from entry "
              + counts.firstUnexplainedRow
              + " on, the history differs from what these settings and this limit produce");
      if (options.config().garbageCollectionThreshold() > 0
          && options.facts().isEmpty()
          && (limit.isInferred() || limit.bytes() < 0)) {
        infer(
            device,
            "unknown memory limits",
            1,
            Confidence.GUESS,
            "garbage_collection_threshold depends on the memory limit, which snapshots do not"
                + " record; give it with --memory-fraction or --memory-limit");
      }
    }
  }

  private void inferTorn(int device, @Nullable Torn torn) {
    if (torn == null) {
      return;
    }
    String block = "the block at 0x" + Long.toHexString(torn.blockAddress());
    String memory = "memory at 0x" + Long.toHexString(torn.address());
    EffectLog effects = snapshot.devices().get(device).effects();
    String what;
    if (torn.row() == effects.count()) {
      what = "the segments at the end overlap (" + memory + " and " + block + ")";
    } else {
      EffectKind kind = effects.kind(torn.row());
      boolean isObtained = kind == EffectKind.SEGMENT_ALLOC || kind == EffectKind.SEGMENT_MAP;
      what =
          "entry "
              + torn.row()
              + (isObtained ? " obtains " : " releases ")
              + memory
              + ", which reaches into "
              + block;
    }
    infer(
        device, Inference.MEMORY_HELD_TWICE, 1, Confidence.CERTAIN, what + ", which is impossible");
  }

  private void infer(int device, String subject, long count, Confidence confidence, String reason) {
    if (count > 0) {
      inferences.add(new Inference(device, subject, count, confidence, reason));
    }
  }
}
