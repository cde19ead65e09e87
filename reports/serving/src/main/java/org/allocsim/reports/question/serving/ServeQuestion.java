package org.allocsim.reports.question.serving;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.analysis.serving.EngineMemory;
import org.allocsim.analysis.serving.ServingBudget;
import org.allocsim.analysis.serving.ServingComparison;
import org.allocsim.analysis.serving.ServingResult;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.ShareTrial;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.analysis.serving.traffic.TrafficFiles;
import org.allocsim.reports.answer.serving.ServeAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.model.ServedModel;
import org.jspecify.annotations.Nullable;

/**
 * What do KV caches make of a server's memory?
 *
 * @param requests what is served
 * @param model the model that serves it
 * @param device the GPU
 * @param settings how the engine batches
 * @param memory what is said of the engine's memory
 * @param caches the caches to try
 * @param utilizations fractions of the GPU that are tried too, with the first cache
 */
public record ServeQuestion(
    Requests requests,
    ServedModel model,
    DeviceProfile device,
    ServingSettings settings,
    EngineMemory memory,
    List<CacheChoice> caches,
    List<Double> utilizations)
    implements Question<ServeAnswer> {
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Requests of a file.
   *
   * @param file its name as it was given
   * @param first how many of them are served; null for all
   * @param times how often all of them come
   * @param speed how many times as fast they come
   */
  public record Requests(String file, @Nullable Integer first, int times, double speed) {
    private Traffic read() {
      try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
        Traffic traffic = TrafficFiles.read(Path.of(file), progress::update);
        return (first == null ? traffic : traffic.first(first)).repeated(times).faster(speed);
      } catch (TraceFormatException e) {
        throw new Failure(e.getMessage(), e);
      } catch (IllegalArgumentException e) {
        throw Failure.usage(
            "--repeat " + times + " at --speed " + speed + " makes " + e.getMessage());
      }
    }
  }

  @Override
  public ServeAnswer ask(Asked asked) {
    long startNanos = System.nanoTime();
    ServingBudget budget = budget();
    Traffic traffic = requests.read();
    asked.mayEndEarly();
    List<ServingResult> results = serve(traffic, budget);
    List<ShareTrial> trials = trials(traffic, budget);
    return new ServeAnswer(
        requests.file(),
        traffic,
        model,
        device.name(),
        settings,
        budget,
        results,
        trials,
        (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
  }

  private ServingBudget budget() {
    try {
      return memory.budget(model, settings, device);
    } catch (AnalysisException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  private List<ServingResult> serve(Traffic traffic, ServingBudget budget) {
    try (ProgressMeter progress = ProgressMeter.of("serving", "requests")) {
      return ServingComparison.run(
          traffic,
          model,
          device,
          settings,
          caches,
          choice -> cacheBytes(choice, budget),
          progress::update);
    } catch (IllegalArgumentException e) {
      throw new Failure(requests.file() + ": " + e.getMessage(), e);
    }
  }

  private long cacheBytes(CacheChoice choice, ServingBudget budget) {
    if (choice.kind() != CacheKind.SGLANG) {
      return budget.cacheBytes();
    }
    long bytes = settings.sglang().poolBytes(budget);
    if (bytes <= 0) {
      throw new IllegalArgumentException(
          "cache sglang: --mem-fraction-static %s of %d free bytes leaves no memory for the KV cache"
                  .formatted(settings.sglang().staticShare(), budget.freeAtStartBytes())
              + " after weights of %d bytes; use a larger fraction"
                  .formatted(budget.weightBytes()));
    }
    return bytes;
  }

  private List<ShareTrial> trials(Traffic traffic, ServingBudget budget) {
    if (utilizations.isEmpty() || EarlyEnd.isAsked()) {
      return List.of();
    }
    SortedSet<Double> all = new TreeSet<>(utilizations);
    all.add(budget.largestUtilization());
    all.removeIf(share -> budget.at(share).cacheBytes() <= 0);
    try {
      return ShareTrial.run(
          traffic, model, device, settings, caches.getFirst(), budget, List.copyOf(all));
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  @Override
  public Document<?> document(ServeAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(ServeAnswer answer) {
    return answer.isSafe();
  }
}
