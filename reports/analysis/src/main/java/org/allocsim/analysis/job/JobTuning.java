package org.allocsim.analysis.job;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.tuning.Recommendation;
import org.allocsim.analysis.tuning.SettingOrder;
import org.allocsim.analysis.tuning.Tuning;

/**
 * One setting for all ranks of a job: the settings that were tried on every rank, ranked as {@link
 * Tuning} ranks those of one. What a rank has left counts in place of its peak, so that ranks with
 * different limits can be compared; of driver time that of the slowest rank counts.
 *
 * @param ranks what was found of each rank
 * @param ranked the settings that were tried on every rank, the recommended one first
 * @param notOnAll number of settings that were tried on some ranks only
 * @param now every rank under its own recorded settings
 * @param recommended the setting for all ranks; empty where they are as well off as they are
 */
public record JobTuning(
    List<Ranked<RankTuning>> ranks,
    List<JobSetting> ranked,
    int notOnAll,
    JobSetting now,
    Optional<JobSetting> recommended) {
  /** Keeps its own copies. */
  public JobTuning {
    ranks = List.copyOf(ranks);
    ranked = List.copyOf(ranked);
  }

  /**
   * Folds what was found of each rank; there is one at least.
   *
   * @param ranks in their order
   */
  public static JobTuning of(List<Ranked<RankTuning>> ranks) {
    List<JobSetting> onAll =
        Ranked.onAll(ranks, JobTuning::byConf).entrySet().stream()
            .map(each -> new JobSetting(each.getKey(), each.getValue()))
            .toList();
    long tried =
        ranks.stream().flatMap(each -> byConf(each.found()).keySet().stream()).distinct().count();
    JobSetting recorded = new JobSetting("", Ranked.map(ranks, RankTuning::recorded));
    long samePeakBytes = recorded.peakReservedBytes() / Tuning.STEPS_OF_PEAK;
    List<JobSetting> ranked =
        SettingOrder.ranked(
            onAll,
            JobTuning::figures,
            samePeakBytes,
            ranks.stream().mapToLong(each -> each.found().negligibleNanos()).max().orElseThrow());
    Optional<JobSetting> recommended = recommended(ranks, ranked, recorded, samePeakBytes);
    Optional<JobSetting> first =
        recommended.or(() -> ranked.stream().filter(each -> isRecorded(each, ranks)).findFirst());
    return new JobTuning(
        ranks,
        first.map(each -> SettingOrder.withFirst(each, ranked)).orElse(ranked),
        (int) tried - onAll.size(),
        recorded,
        recommended);
  }

  private static Map<String, RankTuning.Outcome> byConf(RankTuning rank) {
    Map<String, RankTuning.Outcome> byConf = new LinkedHashMap<>();
    rank.settings().forEach(outcome -> byConf.put(outcome.conf(), outcome));
    return byConf;
  }

  private static SettingOrder.Figures figures(JobSetting setting) {
    return new SettingOrder.Figures(
        setting.conf(),
        setting.passes(),
        setting.progress(),
        -setting.leftBytes(),
        setting.driverNanos());
  }

  private static Optional<JobSetting> recommended(
      List<Ranked<RankTuning>> ranks,
      List<JobSetting> ranked,
      JobSetting recorded,
      long samePeakBytes) {
    JobSetting now = new JobSetting("", Ranked.map(ranks, RankTuning::now));
    List<JobSetting> better =
        ranked.stream().filter(each -> each.isSafe() && isBetter(each, now)).toList();
    long lowestBytes =
        better.stream()
            .filter(JobSetting::passes)
            .mapToLong(JobSetting::peakReservedBytes)
            .min()
            .orElse(0);
    Optional<JobSetting> first =
        SettingOrder.simplest(
            better, JobTuning::figures, SettingOrder.nearBytes(lowestBytes, samePeakBytes));
    if (recorded.passes() || first.isEmpty() || !first.get().passes()) {
      return first.filter(each -> !isRecorded(each, ranks));
    }
    // Changed copies of the ranks that fail decided what is recommended for each of them.
    return ranks.stream()
        .filter(each -> !each.found().recorded().passes())
        .sorted(Comparator.comparingLong(each -> leftBytes(each.found())))
        .flatMap(each ->
            ranked.stream().filter(setting -> setting.conf().equals(each.found().bestConf())))
        .filter(each -> each.passes() && each.isSafe())
        .findFirst()
        .or(() -> first);
  }

  /** What a rank has left under the setting that is best for it alone. */
  private static long leftBytes(RankTuning tuning) {
    return tuning.settings().stream()
        .filter(each -> each.conf().equals(tuning.bestConf()))
        .mapToLong(RankTuning.Outcome::leftBytes)
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  private static boolean isRecorded(JobSetting setting, List<Ranked<RankTuning>> ranks) {
    return ranks.stream().allMatch(each -> each.found().recorded().conf().equals(setting.conf()));
  }

  /** As {@link Recommendation#isBetter}, of all ranks. */
  private static boolean isBetter(JobSetting setting, JobSetting now) {
    if (setting.passes() != now.passes()) {
      return setting.passes();
    }
    return setting.passes()
        ? setting.leftBytes() - now.leftBytes()
            > now.worst().found().peakReservedBytes() / 100 * Recommendation.MIN_SAVING_PERCENT
        : setting.progress() > now.progress();
  }

  /** The settings of every rank where all were recorded with the same. */
  public Optional<String> recordedConf() {
    List<String> confs =
        ranks.stream().map(each -> each.found().recorded().conf()).distinct().toList();
    return confs.size() == 1 ? Optional.of(confs.getFirst()) : Optional.empty();
  }

  /** The setting for all ranks; empty where each keeps one of its own. */
  public Optional<String> bestConf() {
    return recommended.map(JobSetting::conf).or(this::recordedConf);
  }

  /** The recommended setting on every rank, else what each was recorded with. */
  public JobSetting best() {
    return recommended.orElse(now);
  }
}
