package org.allocsim.simulator.timing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.Work;
import org.jspecify.annotations.Nullable;

/**
 * Runs the program of one device of a trace in time. Make the policy with {@link #memory()} as its
 * device and with {@link #listener()} among its listeners, then {@link #run}.
 *
 * <p>Traces with work find out themselves when stream uses are over; what their USE_COMPLETE rows
 * say is passed over. A free asks all streams of the allocation's uses anew: whatever was queued on
 * them until then has to be done (PyTorch 2.11 records its events at the free). Traces without
 * work, such as recordings, keep their USE_COMPLETE rows and, with a {@link Pace}, their gaps.
 */
public final class Simulation {
  /** Pieces of work that a stream's queue holds; the host waits where there are more. */
  public static final int QUEUE_DEPTH = 1024;

  /** Hears of what happens when. */
  public interface Observer {
    /** Nobody is notified. */
    Observer NONE = event -> true;

    /** A row comes next, when the host has come to it; answers whether to go on. */
    boolean before(int event);

    /** The host has come to a row at this time. */
    default void at(int event, long hostNanos) {}

    /** An allocation that was given back is not in use on a stream any more. */
    default void useCompleted(int allocation, int stream, long nanos) {}
  }

  private static final int NONE = -1;

  private final AllocationTrace trace;
  private final int device;
  private final HostClock host = new HostClock();
  private final GpuTimeline gpu;
  private final PoolProgress progress;
  private final TimedMemory memory;
  private final PinnedMemory pinned;
  private final StreamUseMarks uses;
  private final LoaderQueue[] loaders;
  private final long[] workNanos;
  private final long launchNanos;
  private final boolean hasWork;
  private final long[] requestNanos = new long[RequestKind.values().length];
  private final long[] requestCounts = new long[RequestKind.values().length];
  private final List<Step> steps = new ArrayList<>();
  private Step begun = new Step(0, 0, 0, 0, 0, 0);
  private @Nullable Pace pace;
  private int maxQueued;

  /** Uses that are over and that the policy has not been notified of. */
  private int[] passed = new int[16];

  private long[] passedNanos = new long[16];
  private int passedCount;

  /**
   * A simulation that has not begun.
   *
   * @param device index of the device whose rows are run
   * @param gpu serves memory; nothing has been asked of it
   * @param roofline how long work takes
   */
  public Simulation(AllocationTrace trace, int device, SimulatedDevice gpu, Roofline roofline) {
    this.trace = trace;
    this.device = device;
    int streams = Math.max(1, trace.streamCount());
    this.gpu = new GpuTimeline(streams, trace.gpuEventCount(), this::pass);
    progress = new PoolProgress(gpu, this.gpu, streams);
    memory = new TimedMemory(gpu, host, this.gpu, progress);
    pinned = new PinnedMemory(roofline.compute(), host);
    uses = new StreamUseMarks(trace);
    loaders = new LoaderQueue[trace.loaderCount()];
    for (int loader = 0; loader < loaders.length; loader++) {
      loaders[loader] = new LoaderQueue(trace.loader(loader));
    }
    workNanos = new long[trace.workCount()];
    for (int work = 0; work < workNanos.length; work++) {
      workNanos[work] = roofline.nanos(trace.work(work));
    }
    launchNanos = roofline.compute().launchNanos();
    hasWork = trace.workCount() > 0;
  }

  /** The device that the policy has to use. */
  public DeviceMemory memory() {
    return memory;
  }

  /** Where the policy for pinned host memory gets it from. */
  public DeviceMemory hostMemory() {
    return pinned;
  }

  /** Must receive what the policy does. */
  public EffectListener listener() {
    return new EffectListener() {
      @Override
      public void streamsSynchronized() {
        host.waitUntil(HostActivity.ALLOCATOR_WAIT, Simulation.this.gpu.finishTagged());
      }
    };
  }

  /** Lets the program keep the gaps of a recording. */
  public void keep(Pace pace) {
    this.pace = pace;
  }

  /** The host's time. */
  public long nowNanos() {
    return host.nowNanos();
  }

  /**
   * Runs the program to its end and until the GPU is through.
   *
   * @param policy serves requests for device memory
   * @param hostPolicy serves those for pinned host memory; null where the trace has none
   * @param activeBytes see {@link Replay}
   * @param others is notified of snapshots, as in {@link Replay}
   */
  public TimeResult run(
      AllocatorPolicy policy,
      AllocatorPolicy hostPolicy,
      EffectListener others,
      LongSupplier activeBytes,
      Observer observer) {
    Replay requests = new Replay(trace, device, policy, others, activeBytes);
    int depth = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      if (pace != null) {
        host.spend(HostActivity.WORK, pace.nanosBefore(event));
      }
      gpu.advanceTo(host.nowNanos());
      tell(policy, hostPolicy, observer);
      observer.at(event, host.nowNanos());
      if (!observer.before(event)) {
        break;
      }
      RequestKind kind = trace.kind(event);
      switch (kind) {
        case LAUNCH -> launch(event);
        case RECORD_EVENT ->
            gpu.record(trace.stream(event), trace.gpuEvent(event), host.nowNanos());
        case WAIT_EVENT -> gpu.await(trace.stream(event), trace.gpuEvent(event), host.nowNanos());
        case SYNCHRONIZE_EVENT ->
            host.waitUntil(HostActivity.SYNCHRONIZE, gpu.finishEvent(trace.gpuEvent(event)));
        case HOST_WORK -> host.spend(HostActivity.WORK, trace.hostNanos(event));
        case LOAD_BATCH ->
            host.waitUntil(
                HostActivity.LOAD, loaders[trace.loaderNumber(event)].take(host.nowNanos()));
        case HOST_ALLOCATE ->
            hostPolicy.allocate(trace.hostBuffer(event), trace.bytes(event), 0, 0);
        case HOST_USE_STREAM -> {
          uses.add(~trace.hostBuffer(event), trace.stream(event));
          hostPolicy.useStream(trace.hostBuffer(event), trace.stream(event), 0);
        }
        case HOST_FREE -> {
          markUses(hostPolicy, ~trace.hostBuffer(event));
          hostPolicy.free(trace.hostBuffer(event));
        }
        case MARKER_BEGIN -> {
          if (depth++ == 0) {
            begun = totals(trace.marker(event));
          }
        }
        case MARKER_END -> {
          // A recording may begin inside of a phase.
          if (depth > 0 && --depth == 0) {
            endStep();
          }
        }
        default -> request(requests, policy, event, kind);
      }
    }
    if (depth > 0) {
      endStep();
    }
    return result();
  }

  private void request(Replay requests, AllocatorPolicy policy, int event, RequestKind kind) {
    switch (kind) {
      case SYNCHRONIZE -> host.waitUntil(HostActivity.SYNCHRONIZE, gpu.finishAll());
      case SYNCHRONIZE_STREAM ->
          host.waitUntil(HostActivity.SYNCHRONIZE, gpu.finish(trace.stream(event)));
      case USE_STREAM -> {
        if (hasWork && trace.stream(event) >= 0) {
          uses.add(trace.allocation(event), trace.stream(event));
        }
      }
      case USE_COMPLETE -> {
        if (hasWork) {
          return;
        }
      }
      case FREE -> markUses(policy, trace.allocation(event));
      default -> {}
    }
    long begin = host.nowNanos();
    requests.send(event);
    requestNanos[kind.ordinal()] += host.nowNanos() - begin;
    requestCounts[kind.ordinal()]++;
  }

  /** Queues marks for the uses of what is given back now. */
  private void markUses(AllocatorPolicy policy, int owner) {
    int id = owner >= 0 ? owner : ~owner;
    for (int use = uses.first(owner); use != NONE; use = uses.next(use)) {
      policy.useStream(id, uses.stream(use), 0);
      gpu.mark(uses.stream(use), use, host.nowNanos());
    }
    uses.forget(owner);
  }

  private void pass(int use, long nanos) {
    if (PoolProgress.isTag(use)) {
      progress.passed(use);
      return;
    }
    if (passedCount == passed.length) {
      passed = Arrays.copyOf(passed, passedCount * 2);
      passedNanos = Arrays.copyOf(passedNanos, passedCount * 2);
    }
    passed[passedCount] = use;
    passedNanos[passedCount++] = nanos;
  }

  /** Tells the policies which uses are over. */
  private void tell(AllocatorPolicy policy, AllocatorPolicy hostPolicy, Observer observer) {
    for (int i = 0; i < passedCount; i++) {
      int use = passed[i];
      int owner = uses.owner(use);
      if (owner >= 0) {
        observer.useCompleted(owner, uses.stream(use), passedNanos[i]);
        policy.useComplete(owner, uses.stream(use));
      } else {
        hostPolicy.useComplete(~owner, uses.stream(use));
      }
      uses.drop(use);
    }
    passedCount = 0;
  }

  private void launch(int event) {
    int stream = trace.stream(event);
    int work = trace.workNumber(event);
    host.waitUntil(HostActivity.QUEUE_FULL, gpu.finishDownTo(stream, QUEUE_DEPTH));
    host.spend(HostActivity.LAUNCH, launchNanos);
    switch (trace.work(work)) {
      case Work.Copy copy -> {
        gpu.work(
            stream,
            copy.toDevice() ? GpuTimeline.TO_DEVICE : GpuTimeline.TO_HOST,
            workNanos[work],
            host.nowNanos());
        if (!copy.pinned()) {
          host.waitUntil(HostActivity.PAGEABLE_COPY, gpu.finish(stream));
        }
      }
      case Work.Collective _ ->
          gpu.work(stream, GpuTimeline.LINKS, workNanos[work], host.nowNanos());
      case Work.Kernel _, Work.Timed _ ->
          gpu.work(stream, GpuTimeline.COMPUTE, workNanos[work], host.nowNanos());
    }
    maxQueued = Math.max(maxQueued, gpu.queued(stream));
  }

  private long allocatorNanos() {
    return host.spentNanos(HostActivity.DRIVER_CALL) + host.spentNanos(HostActivity.ALLOCATOR_WAIT);
  }

  private long dataNanos() {
    return host.spentNanos(HostActivity.LOAD) + host.spentNanos(HostActivity.PAGEABLE_COPY);
  }

  private Step totals(int marker) {
    long now = host.nowNanos();
    long computeNanos = gpu.busyNanos(GpuTimeline.COMPUTE, now);
    return new Step(marker, now, now, allocatorNanos(), dataNanos(), computeNanos);
  }

  private void endStep() {
    gpu.advanceTo(host.nowNanos());
    steps.add(begun.endingWith(totals(begun.marker())));
  }

  private TimeResult result() {
    Map<HostActivity, Long> activities = new EnumMap<>(HostActivity.class);
    for (HostActivity activity : HostActivity.values()) {
      activities.put(activity, host.spentNanos(activity));
    }
    Map<RequestKind, Long> nanosByKind = new EnumMap<>(RequestKind.class);
    Map<RequestKind, Long> countsByKind = new EnumMap<>(RequestKind.class);
    for (RequestKind kind : RequestKind.values()) {
      if (requestCounts[kind.ordinal()] > 0) {
        nanosByKind.put(kind, requestNanos[kind.ordinal()]);
        countsByKind.put(kind, requestCounts[kind.ordinal()]);
      }
    }
    return new TimeResult(
        host.nowNanos(),
        Math.max(host.nowNanos(), gpu.finishAll()),
        activities,
        nanosByKind,
        countsByKind,
        gpu.busy(GpuTimeline.COMPUTE),
        gpu.busy(GpuTimeline.TO_DEVICE),
        gpu.busy(GpuTimeline.TO_HOST),
        gpu.busy(GpuTimeline.LINKS),
        maxQueued,
        pinned.peakBytes(),
        steps);
  }
}
