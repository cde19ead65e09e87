package org.allocsim.validation.torch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PrivatePoolOptions;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.stats.MemoryStats;

/** The simulated allocator, sent a sequence of calls on the device of the stand-in. */
final class CallReplay {
  private final CallSequence sequence;
  private final PyTorchVersion version;
  private final AllocatorConfig config;
  private final Rows rows = new Rows();
  private final MemoryStats stats;
  private final Messages messages;
  private final CachingAllocator policy;

  /** The same, to which uses end in the recorded order. */
  private final RecordedOrder allocator;

  /** Routing that has begun and not ended, the innermost first. */
  private final Deque<Integer> routing = new ArrayDeque<>();

  private final Set<Integer> live = new HashSet<>();
  private final Map<Integer, Integer> pools = new HashMap<>();
  private final Map<Integer, List<Integer>> uses = new HashMap<>();

  /** Freed allocations with work on a stream that is not complete, by stream. */
  private final List<Deque<Integer>> pending = new ArrayList<>();

  private long completionRank;

  private CallReplay(
      CallSequence sequence, PyTorchVersion version, EffectLog recorded, DeviceMemory device)
      throws ConfigException {
    this.sequence = sequence;
    this.version = version;
    config = ConfigParser.parse(sequence.conf(), version).allocator();
    stats = new MemoryStats(config.maxSplitBytes());
    messages = new Messages(stats);
    policy =
        new CachingAllocator(
            config, version, limitBytes(), device, EffectListeners.all(stats, rows, messages));
    allocator = new RecordedOrder(policy, recorded, rows.log::count);
    for (int i = 0; i < sequence.streams(); i++) {
      pending.add(new ArrayDeque<>());
    }
  }

  /**
   * Makes all calls.
   *
   * @param recorded what PyTorch did: uses that ended at the same moment are seen in the order of
   *     its frees, since it asks its streams in that of a hash map
   * @throws ConfigException where the release refuses the settings
   */
  static CallOutcome of(CallSequence sequence, PyTorchVersion version, EffectLog recorded)
      throws ConfigException {
    return of(
        sequence,
        version,
        recorded,
        new StandInDevice(sequence.capacityBytes(), sequence.ascendingEvery()));
  }

  /** The same on another device. */
  static CallOutcome of(
      CallSequence sequence, PyTorchVersion version, EffectLog recorded, DeviceMemory device)
      throws ConfigException {
    CallReplay replay = new CallReplay(sequence, version, recorded, device);
    sequence.calls().forEach(replay::call);
    OutOfMemoryMessage.Template template =
        OutOfMemoryMessage.Template.of(version, replay.config.expandableSegments());
    List<String> messages =
        replay.messages.list.stream().map(message -> message.apply(template)).toList();
    SortedMap<String, Long> statistics = replay.stats.toMap();
    statistics.put("num_oom_rejections", replay.messages.rejected);
    return new CallOutcome(replay.rows.log, statistics, messages, null);
  }

  private long limitBytes() throws ConfigException {
    double fraction =
        Double.isNaN(sequence.fraction()) ? config.perProcessMemoryFraction() : sequence.fraction();
    return Double.isNaN(sequence.fraction()) && fraction == 1
        ? MemoryLimit.NONE
        : MemoryLimit.ofFraction(fraction, sequence.capacityBytes(), version);
  }

  private void call(AllocatorCall call) {
    int id = call.id();
    switch (call.kind()) {
      case ALLOCATE -> allocate(call);
      case FREE -> free(id);
      case USE -> use(id, call.stream());
      case COMPLETE -> complete(id, call.stream());
      case EMPTY_CACHE -> allocator.emptyCache();
      case MAKE_POOL -> policy.definePool(id, PrivatePoolOptions.PLAIN);
      case MAKE_POOL_FOR_EMERGENCIES ->
          policy.definePool(id, new PrivatePoolOptions(true, false, false));
      case MAKE_POOL_WITHOUT_SPLITS ->
          policy.definePool(id, new PrivatePoolOptions(false, true, false));
      case BEGIN_POOL -> routing.push(id);
      case END_POOL -> routing.pop();
      case RELEASE_POOL -> release(id);
    }
    if (rows.freesSegment) {
      // The device waits for all work before it takes memory back.
      rows.freesSegment = false;
      for (int stream = 0; stream < pending.size(); stream++) {
        if (!pending.get(stream).isEmpty()) {
          complete(pending.get(stream).getLast(), stream);
        }
      }
    }
  }

  private void allocate(AllocatorCall call) {
    int pool = routing.isEmpty() ? 0 : routing.peek();
    long address = allocator.allocate(call.id(), call.bytes(), call.stream(), pool);
    pools.put(call.id(), pool);
    if (address != AllocatorPolicy.OUT_OF_MEMORY && call.bytes() > 0) {
      live.add(call.id());
    }
  }

  private void use(int id, int stream) {
    if (live.contains(id)) {
      allocator.useStream(id, stream, completionRank++);
      uses.computeIfAbsent(id, _ -> new ArrayList<>()).add(stream);
    }
  }

  private void free(int id) {
    if (live.remove(id)) {
      allocator.free(id);
      uses.getOrDefault(id, List.of()).forEach(stream -> pending.get(stream).add(id));
    }
  }

  /** What was submitted to a stream before is complete, too. */
  private void complete(int id, int stream) {
    Deque<Integer> waiting = pending.get(stream);
    if (waiting.contains(id)) {
      int done;
      do {
        done = waiting.remove();
        allocator.useComplete(done, stream);
      } while (done != id);
    }
  }

  /** Waiting for what a pool's blocks were used for completes all that their streams did before. */
  private void release(int pool) {
    allocator.releasePool(pool);
    allocator.emptyPool(pool);
    for (int stream = 0; stream < pending.size(); stream++) {
      int last = -1;
      for (int id : pending.get(stream)) {
        last = pools.getOrDefault(id, 0) == pool ? id : last;
      }
      if (last >= 0) {
        complete(last, stream);
      }
    }
  }

  private static final class Rows extends EffectRows {
    final EffectLog log = new EffectLog();
    boolean freesSegment;

    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      freesSegment |= kind == EffectKind.SEGMENT_FREE;
      log.add(kind, address, bytes, stream);
    }
  }

  /** Notes what each failure says, as the memory is at that moment. */
  private static final class Messages implements EffectListener {
    final List<Function<OutOfMemoryMessage.Template, String>> list = new ArrayList<>();
    long rejected;
    private final MemoryStats stats;

    Messages(MemoryStats stats) {
      this.stats = stats;
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      rejected++;
      list.add(_ -> reason);
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      OutOfMemoryMessage message =
          new OutOfMemoryMessage(
              0,
              failure.segmentBytes(),
              failure.deviceTotalBytes(),
              failure.deviceFreeBytes(),
              failure.limitBytes(),
              stats.allocatedBytes(),
              stats.reservedBytes(),
              failure.privateFreeBytes(),
              "");
      list.add(message::text);
    }
  }
}
