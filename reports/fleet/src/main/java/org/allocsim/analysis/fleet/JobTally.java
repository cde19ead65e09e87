package org.allocsim.analysis.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.RankPeak;
import org.allocsim.analysis.job.Ranked;

/** A job of a fleet: its ranks together on each GPU, where one that fails ends all. */
public final class JobTally {
  private final String job;
  private final List<Ranked<RankPeak>> ranks = new ArrayList<>();
  private final TreeMap<FleetGpu, OnGpu> gpus = new TreeMap<>();

  /** The ranks that were run on a GPU. */
  private static final class OnGpu {
    private int ranks;
    private int servedAsRecorded;
    private final SequencedMap<FleetChoice, Served> settings = new LinkedHashMap<>();
  }

  /** The ranks that a setting serves on a GPU, and the highest of their peaks. */
  private static final class Served {
    private int ranks;
    private long peakBytes;
  }

  /**
   * A GPU that serves every rank under one setting.
   *
   * @param gpu the GPU
   * @param setting the setting with the lowest peak there
   * @param peakBytes what any rank reserves at most under it
   */
  public record Fit(FleetGpu gpu, FleetChoice setting, long peakBytes) {}

  JobTally(String job) {
    this.job = job;
  }

  /**
   * Counts a rank.
   *
   * @param runs its runs by GPU, with the one under the settings that it was recorded with
   */
  void add(String file, int number, String host, Map<FleetGpu, List<FleetRun>> runs) {
    FleetRun onLargest = null;
    for (Map.Entry<FleetGpu, List<FleetRun>> each : runs.entrySet()) {
      Optional<FleetRun> baseline = FleetAnalysis.baseline(each.getValue());
      if (baseline.isPresent()) {
        onLargest = baseline.get();
        add(gpus.computeIfAbsent(each.getKey(), _ -> new OnGpu()), each.getValue(), onLargest);
      }
    }
    if (onLargest != null) {
      ranks.add(
          new Ranked<>(
              new Rank(number, host, Path.of(file), file),
              new RankPeak(onLargest.peakReservedBytes(), 0, 0, new long[0])));
    }
  }

  private static void add(OnGpu gpu, List<FleetRun> runs, FleetRun baseline) {
    gpu.ranks++;
    gpu.servedAsRecorded += baseline.oom() ? 0 : 1;
    for (FleetRun run : runs) {
      if (run.choice().isSetting() && !run.oom()) {
        Served served = gpu.settings.computeIfAbsent(run.choice(), _ -> new Served());
        served.ranks++;
        served.peakBytes = Math.max(served.peakBytes, run.peakReservedBytes());
      }
    }
  }

  /** Name of the job. */
  public String job() {
    return job;
  }

  /** Ranks that were run. */
  public int rankCount() {
    return ranks.size();
  }

  /** What the ranks reserve as they were recorded, on the largest GPU of each. */
  public JobBalance balance() {
    return JobBalance.of(
        ranks.stream()
            .sorted(
                Comparator.comparing(
                        (Ranked<RankPeak> each) -> each.rank().host(),
                        Comparator.nullsFirst(Comparator.naturalOrder()))
                    .thenComparing(each -> each.rank().number()))
            .toList());
  }

  /** GPUs on which a rank fails as recorded, which ends the job. */
  public long failures() {
    return gpus.values().stream().filter(each -> each.servedAsRecorded < each.ranks).count();
  }

  /** Those of them on which no one setting serves every rank that was run there. */
  public long lost() {
    return gpus.values().stream()
        .filter(each -> each.servedAsRecorded < each.ranks)
        .filter(each -> each.settings.values().stream().noneMatch(all -> all.ranks == each.ranks))
        .count();
  }

  /** The smallest GPU on which every rank is served as recorded; empty where there is none. */
  public Optional<FleetGpu> smallestAsRecorded() {
    return gpus.entrySet().stream()
        .filter(each -> each.getValue().servedAsRecorded == ranks.size())
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The smallest GPU on which one setting serves every rank; empty where there is none. */
  public Optional<Fit> smallest() {
    for (Map.Entry<FleetGpu, OnGpu> each : gpus.entrySet()) {
      Optional<Map.Entry<FleetChoice, Served>> best =
          each.getValue().settings.entrySet().stream()
              .filter(setting -> setting.getValue().ranks == ranks.size())
              .min(Comparator.comparingLong(setting -> setting.getValue().peakBytes));
      if (best.isPresent()) {
        return Optional.of(
            new Fit(each.getKey(), best.get().getKey(), best.get().getValue().peakBytes));
      }
    }
    return Optional.empty();
  }
}
