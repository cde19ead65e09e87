package org.allocsim.validation.torch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
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
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;

/** The simulated allocator, sent a sequence of calls on the device of the stand-in. */
final class CallReplay {
  private final CallSequence sequence;
  private final PyTorchVersion version;
  private final AllocatorConfig config;
  private final Rows rows;
  private final MemoryStats stats;
  private final Messages messages;
  private final CachingAllocator policy;

  /** The same, to which uses end in the recorded order. */
  private final RecordedOrder allocator;

  /** Routing that has begun and not ended, the innermost first. */
  private final Deque<Route> routes = new ArrayDeque<>();

  /** Graphs of each pool that captures made. */
  private final Map<Integer, Integer> graphs = new HashMap<>();

  /** Identities of private pools: PyTorch counts those of captures and those of the user apart. */
  private final Map<Integer, PoolId> poolIds = new HashMap<>();

  private int capturedPools;
  private int userPools;

  /** The stream of the last request. */
  private int current;

  /** Allocations freed meanwhile, whose uses the allocator has not asked the device about. */
  private final List<Integer> deferred = new ArrayList<>();

  /** Those that were deferred until the same moment have the same number. */
  private final Map<Integer, Integer> groups = new HashMap<>();

  private int group;

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
    rows = new Rows(sequence.streams());
    config = ConfigParser.parse(sequence.conf(), version).allocator();
    stats = new MemoryStats(config.maxSplitBytes());
    messages =
        new Messages(stats, OutOfMemoryMessage.Template.of(version, config.expandableSegments()));
    policy =
        new CachingAllocator(
            config, version, limitBytes(), device, EffectListeners.all(stats, rows, messages));
    policy.expectChanges(ConfigParser::changeOrKeep);
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
        new MockDevice(sequence.capacityBytes(), sequence.ascendingEvery()));
  }

  /** The same on another device. */
  static CallOutcome of(
      CallSequence sequence, PyTorchVersion version, EffectLog recorded, DeviceMemory device)
      throws ConfigException {
    CallReplay replay = new CallReplay(sequence, version, recorded, device);
    for (AllocatorCall call : sequence.calls()) {
      replay.call(call);
    }
    SortedMap<String, Long> statistics = replay.stats.toMap();
    statistics.put("num_oom_rejections", replay.messages.rejected);
    return new CallOutcome(replay.rows.log, statistics, replay.messages.list, null);
  }

  private long limitBytes() throws ConfigException {
    double fraction =
        Double.isNaN(sequence.fraction()) ? config.perProcessMemoryFraction() : sequence.fraction();
    return Double.isNaN(sequence.fraction()) && fraction == 1
        ? MemoryLimit.NONE
        : MemoryLimit.ofFraction(fraction, sequence.capacityBytes(), version);
  }

  private void call(AllocatorCall call) throws ConfigException {
    int id = call.id();
    policy.capture(captures());
    switch (call.kind()) {
      case ALLOCATE -> allocate(call);
      case FREE -> free(id);
      case USE -> use(id, call.stream());
      case COMPLETE -> complete(id, call.stream());
      case EMPTY_CACHE -> {
        submitDeferred();
        allocator.emptyCache();
      }
      case MAKE_POOL -> makePool(id, PrivatePoolOptions.PLAIN);
      case MAKE_POOL_FOR_EMERGENCIES -> makePool(id, new PrivatePoolOptions(true, false, false));
      case MAKE_POOL_WITHOUT_SPLITS -> makePool(id, new PrivatePoolOptions(false, true, false));
      case BEGIN_POOL -> routes.push(new Route(id, Route.EVERY_STREAM));
      case END_POOL -> end(id);
      case RELEASE_POOL -> release(id);
      case SET_FRACTION ->
          policy.changeLimit(
              MemoryLimit.ofFraction(call.bytes() / 1e6, sequence.capacityBytes(), version));
      case SET_CONF -> policy.changeSettings(sequence.confs().get(id));
      case BEGIN_CAPTURE -> {
        if (graphs.merge(id, 1, Integer::sum) == 1) {
          poolIds.put(id, new PoolId(++capturedPools, 0));
        }
        routes.push(new Route(id, call.stream()));
      }
      case END_CAPTURE -> end(id);
      case DROP_GRAPH -> {
        if (graphs.merge(id, -1, Integer::sum) == 0) {
          allocator.releasePool(id, poolIds.getOrDefault(id, PoolId.unnamed(id)));
        }
      }
    }
    for (int stream = rows.waits.nextSetBit(0);
        stream >= 0 && stream < pending.size();
        stream = rows.waits.nextSetBit(stream + 1)) {
      if (!pending.get(stream).isEmpty()) {
        complete(pending.get(stream).getLast(), stream);
      }
    }
    rows.waits.clear();
  }

  private void makePool(int pool, PrivatePoolOptions options) {
    poolIds.put(pool, new PoolId(0, ++userPools));
    policy.definePool(pool, options);
  }

  /**
   * Requests that go to a pool.
   *
   * @param stream the only one whose requests do, or {@link #EVERY_STREAM}
   */
  private record Route(int pool, int stream) {
    static final int EVERY_STREAM = -1;
  }

  private void end(int pool) {
    Route ended = routes.pop();
    if (ended.pool != pool) {
      throw new IllegalArgumentException("pool " + pool + " is not the innermost");
    }
  }

  /** Whether a call is made in a capture. Before 2.13, routing to a pool counts as one. */
  private boolean captures() {
    return version.processesEventsInUserPools()
        ? routes.stream().anyMatch(route -> route.stream == current)
        : !routes.isEmpty();
  }

  private int pool(int stream) {
    for (Route route : routes) {
      if (route.stream == Route.EVERY_STREAM || route.stream == stream) {
        return route.pool;
      }
    }
    return 0;
  }

  private void allocate(AllocatorCall call) {
    current = call.stream();
    policy.capture(captures());
    int pool = pool(current);
    messages.template =
        OutOfMemoryMessage.Template.of(version, policy.settings().expandableSegments());
    submitDeferred();
    long address = allocator.allocate(call.id(), call.bytes(), current, pool);
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
      if (captures()) {
        deferred.add(id);
      } else {
        uses.getOrDefault(id, List.of()).forEach(stream -> pending.get(stream).add(id));
      }
    }
  }

  /** Frees in a capture wait for its end, and for the next call that looks for finished uses. */
  private void submitDeferred() {
    if (captures()) {
      return;
    }
    group++;
    for (int id : deferred) {
      groups.put(id, group);
      uses.getOrDefault(id, List.of()).forEach(stream -> pending.get(stream).add(id));
    }
    deferred.clear();
  }

  /** Frees that a capture deferred are submitted together. */
  private boolean isTogether(int id, @Nullable Integer other) {
    return other != null && groups.containsKey(id) && groups.get(id).equals(groups.get(other));
  }

  /** What was submitted to a stream before is complete, too. */
  private void complete(int id, int stream) {
    Deque<Integer> waiting = pending.get(stream);
    if (waiting.contains(id)) {
      boolean found = false;
      while (!found || isTogether(id, waiting.peek())) {
        int done = waiting.remove();
        allocator.useComplete(done, stream);
        found |= done == id;
      }
    }
  }

  /** Waiting for what a pool's blocks were used for completes all that their streams did before. */
  private void release(int pool) {
    submitDeferred();
    allocator.releasePool(pool, poolIds.getOrDefault(pool, PoolId.unnamed(pool)));
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

    /** Streams whose work the last call waited for. */
    final BitSet waits = new BitSet();

    private final int streams;

    Rows(int streams) {
      this.streams = streams;
    }

    /** The device waits for all work before it takes a segment back, PyTorch before it unmaps. */
    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      if (kind == EffectKind.SEGMENT_FREE) {
        waits.set(0, streams);
      } else if (kind == EffectKind.SEGMENT_UNMAP) {
        waits.set(stream);
      }
      log.add(kind, address, bytes, stream);
    }
  }

  /** Notes what each failure says, as the memory is at that moment. */
  private static final class Messages implements EffectListener {
    final List<String> list = new ArrayList<>();
    OutOfMemoryMessage.Template template;
    long rejected;
    private final MemoryStats stats;

    Messages(MemoryStats stats, OutOfMemoryMessage.Template template) {
      this.stats = stats;
      this.template = template;
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      rejected++;
      list.add(reason);
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
      list.add(message.text(template));
    }
  }
}
