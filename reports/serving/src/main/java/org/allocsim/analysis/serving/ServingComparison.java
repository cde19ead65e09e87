package org.allocsim.analysis.serving;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.allocsim.analysis.serving.kvcache.CacheCallLog;
import org.allocsim.analysis.serving.kvcache.CacheCalls;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.model.ServedModel;

/** Serves the same requests with one cache after another, on as many cores as there are. */
public final class ServingComparison {
  private ServingComparison() {}

  /**
   * The results, in the order of the caches.
   *
   * @param cacheBytes memory for keys and values that each of them has
   * @param progress hears how many requests are over, of those of all caches
   * @throws IllegalArgumentException where one of the caches cannot have so few or so many, or
   *     takes too much work
   */
  public static List<ServingResult> run(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      List<CacheChoice> caches,
      ToLongFunction<CacheChoice> cacheBytes,
      ParallelTasks.Progress progress) {
    Requests over = new Requests(progress);
    List<Callable<ServingResult>> runs =
        caches.stream()
            .map(cache ->
                engine(
                    traffic,
                    model,
                    device,
                    settings,
                    cache,
                    cacheBytes.applyAsLong(cache),
                    CacheCalls.NONE))
            .<Callable<ServingResult>>map(engine -> () -> engine.run(over.add()))
            .toList();
    return ParallelTasks.run(runs, (_, _) -> {});
  }

  /** How many requests are over with all caches together. */
  private static final class Requests {
    private final ParallelTasks.Progress progress;
    private int engines;
    private int done;

    Requests(ParallelTasks.Progress progress) {
      this.progress = progress;
    }

    /** What one more engine tells. */
    synchronized Engine.Progress add() {
      engines++;
      return new Engine.Progress() {
        private int told;

        @Override
        public void over(int requests, int total) {
          add(requests - told, total);
          told = requests;
        }
      };
    }

    private synchronized void add(int requests, int total) {
      done += requests;
      progress.done(done, engines * total);
    }
  }

  /**
   * What a cache asks of the driver while it serves requests, to be asked of a real one.
   *
   * @param cacheBytes memory for keys and values
   * @throws IllegalArgumentException where the cache cannot have so few or so many
   */
  public static CacheRecording record(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      CacheChoice cache,
      long cacheBytes) {
    CacheCallLog calls = new CacheCallLog();
    Engine engine = engine(traffic, model, device, settings, cache, cacheBytes, calls);
    ServingResult result = engine.run();
    return new CacheRecording(engine.layout(), calls, result);
  }

  private static Engine engine(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      CacheChoice cache,
      long cacheBytes,
      CacheCalls calls) {
    try {
      return cache.kind() == CacheKind.SGLANG
          ? new SglangEngine(traffic, model, device, settings, cache, cacheBytes)
          : new ServingEngine(traffic, model, device, settings, cache, cacheBytes, calls);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "cache %s cannot be created for %s: %s"
              .formatted(cache.label(), model.name(), e.getMessage()),
          e);
    }
  }
}
