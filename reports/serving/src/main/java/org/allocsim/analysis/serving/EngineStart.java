package org.allocsim.analysis.serving;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.analysis.TracedProgram;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * What the start of an engine shows, recorded or generated: every figure that an engine computes
 * its cache from, and what it takes beside the cache.
 *
 * <p><b>Rules.</b> Functions on the stacks of requests tell what they are for: {@code load_model}
 * loads weights, {@code profile_run} measures, {@code initialize_kv_cache} and what it calls
 * allocates the cache. The program is replayed; what its allocator reserves from the cache's
 * allocation on, at most and less the cache, is what must fit beside it: weights with the unused
 * parts of their segments, the graphs' pool, the sampler's memory, what steps take and leave.
 *
 * @param weightBytes allocated bytes that loading adds
 * @param profileBytes growth of the peak of allocated bytes in the profiling run
 * @param nonTorchBytes growth of what the process holds beside its allocator until the cache is
 *     allocated; 0 where there are no samples of the GPU
 * @param cacheBytes allocated bytes of the cache
 * @param outsideCacheBytes most bytes that are reserved beside the cache once it is there
 * @param laterBytes growth of what the process holds beside its allocator after that, such as the
 *     driver's part of CUDA graphs; −1 where there are no samples of the GPU
 */
public record EngineStart(
    long weightBytes,
    long profileBytes,
    long nonTorchBytes,
    long cacheBytes,
    long outsideCacheBytes,
    long laterBytes) {
  private static final List<String> LOADING = List.of("load_model");
  private static final List<String> PROFILING = List.of("profile_run");
  private static final List<String> CACHING =
      List.of("initialize_kv_cache", "initialize_from_config", "_allocate_kv_cache_tensors");

  /**
   * Replays a start.
   *
   * @throws AnalysisException where it cannot be read, or its stacks do not show the start of an
   *     engine
   */
  public static EngineStart of(TracedProgram program) throws AnalysisException {
    DeviceTrace requests = program.requests();
    Phases phases = new Phases(requests.trace(), requests.device());
    phases.require(requests.name());
    Watch watch = new Watch(phases);
    program.run(watch);
    List<RecordedFacts.Sample> samples =
        requests
            .opened()
            .source()
            .snapshot()
            .map(snapshot -> samples(snapshot, requests.device()))
            .orElse(List.of());
    long cachedNanos = requests.trace().timeNanos(phases.firstCache);
    long before = beside(samples, Long.MAX_VALUE, Comparator.reverseOrder());
    long profiled = beside(samples, cachedNanos, Comparator.naturalOrder());
    long after = beside(samples, Long.MAX_VALUE, Comparator.naturalOrder());
    return new EngineStart(
        watch.loadedBytes - watch.emptyBytes,
        watch.profilePeakBytes - watch.loadedBytes,
        Math.max(0, profiled - before),
        watch.cacheBytes,
        watch.outsideCacheBytes,
        samples.isEmpty() ? -1 : after - Math.max(profiled, before));
  }

  private static List<RecordedFacts.Sample> samples(Snapshot snapshot, int device) {
    return snapshot
        .facts()
        .flatMap(facts -> facts.device(device))
        .map(RecordedFacts.Device::samples)
        .orElse(List.of())
        .stream()
        .filter(each -> each.reservedBytes() >= 0 && each.processBytes() >= each.reservedBytes())
        .toList();
  }

  /**
   * The last in an order of what the process held beside its allocator up to a time, 0 where none
   * is known.
   */
  private static long beside(List<RecordedFacts.Sample> samples, long to, Comparator<Long> order) {
    Optional<Long> found =
        samples.stream()
            .filter(each -> each.timeNanos() <= to)
            .map(each -> each.processBytes() - each.reservedBytes())
            .max(order);
    return found.orElse(0L);
  }

  /** The rows at which an engine's start goes from one thing to the next. */
  private static final class Phases {
    private final AllocationTrace trace;
    private int firstLoad = -1;
    private int firstProfile = -1;
    private int firstCache = -1;
    private int lastCache = -1;

    Phases(AllocationTrace trace, int device) {
      this.trace = trace;
      for (int row = 0; row < trace.eventCount(); row++) {
        if (trace.kind(row) == RequestKind.ALLOCATE && trace.device(row) == device) {
          see(row);
        }
      }
    }

    private void see(int row) {
      if (firstLoad < 0 && isWithin(row, LOADING)) {
        firstLoad = row;
      } else if (firstProfile < 0 && isWithin(row, PROFILING)) {
        firstProfile = row;
      } else if (firstProfile >= 0 && isWithin(row, CACHING)) {
        firstCache = firstCache < 0 ? row : firstCache;
        lastCache = row;
      }
    }

    private boolean isWithin(int row, List<String> functions) {
      int stack = trace.stack(row);
      for (int depth = 0; depth < trace.stacks().depth(stack); depth++) {
        if (functions.contains(trace.stacks().frame(stack, depth).function())) {
          return true;
        }
      }
      return false;
    }

    void require(String name) throws AnalysisException {
      if (firstLoad < 0 || firstProfile < firstLoad || firstCache < 0) {
        throw new AnalysisException(
            "%s: no request comes from %s; record the startup of a vLLM engine, with stacks"
                .formatted(
                    name,
                    firstLoad < 0
                        ? "load_model"
                        : firstProfile < firstLoad ? "profile_run" : "initialize_kv_cache"));
      }
    }
  }

  /** Reads the allocator's counters when phases change. */
  private static final class Watch implements RunObserver {
    private final Phases phases;
    private Optional<Run> run = Optional.empty();
    private long emptyBytes;
    private long loadedBytes;
    private long profilePeakBytes;
    private long uncachedBytes;
    private long cacheBytes;
    private long outsideCacheBytes;

    Watch(Phases phases) {
      this.phases = phases;
    }

    @Override
    public void begin(Run begun) {
      run = Optional.of(begun);
    }

    @Override
    public boolean before(int row) {
      long allocated = run.orElseThrow().stats().allocatedBytes();
      if (row == phases.firstLoad) {
        emptyBytes = allocated;
      } else if (row == phases.firstProfile) {
        loadedBytes = allocated;
      } else if (row == phases.firstCache) {
        uncachedBytes = allocated;
      } else if (row == phases.lastCache + 1) {
        cacheBytes = allocated - uncachedBytes;
      }
      if (row > phases.firstProfile && row <= phases.firstCache) {
        profilePeakBytes = Math.max(profilePeakBytes, allocated);
      }
      if (row > phases.lastCache) {
        see();
      }
      return true;
    }

    private void see() {
      outsideCacheBytes =
          Math.max(outsideCacheBytes, run.orElseThrow().stats().reservedBytes() - cacheBytes);
    }

    @Override
    public void end() {
      see();
    }
  }
}
