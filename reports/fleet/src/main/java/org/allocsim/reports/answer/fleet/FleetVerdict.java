package org.allocsim.reports.answer.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.fleet.ChoiceTally;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.FleetChoice;
import org.allocsim.analysis.fleet.JobTally;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.document.Verdict;
import org.jspecify.annotations.Nullable;

/** What a fleet report says first, in sentences. */
final class FleetVerdict {
  private final FleetAnalysis analysis;

  private FleetVerdict(FleetAnalysis analysis) {
    this.analysis = analysis;
  }

  static Verdict of(FleetAnalysis analysis) {
    FleetVerdict verdict = new FleetVerdict(analysis);
    return Verdict.ofText(Verdict.Tone.NEUTRAL, verdict.sentence(), verdict.facts(), null);
  }

  private String sentence() {
    if (analysis.runs() == 0) {
      return "No run could be simulated, so nothing can be compared.";
    }
    Map.Entry<FleetChoice, ChoiceTally> best = bestSetting();
    long failures = analysis.failures();
    if (best == null) {
      return "No baseline: the sweep did not run PyTorch's allocator.";
    }
    String name = best.getKey().label();
    if (failures == 0) {
      return ("Every trace runs on every GPU as recorded; with %s half of them reserve at least"
              + " %s less.")
          .formatted(name, Numbers.percent(best.getValue().savingQuantile(0.5)));
    }
    if (best.getValue().saved() == 0) {
      return "No single setting prevents any of the "
          + Numbers.count(failures, "failure")
          + ": larger GPUs or smaller programs are needed.";
    }
    return name
        + " prevents "
        + Numbers.count(best.getValue().saved())
        + " of "
        + Numbers.count(failures, "failure")
        + (best.getValue().broken() == 0
            ? " and breaks nothing."
            : " and breaks " + Numbers.count(best.getValue().broken()) + " others.");
  }

  private Map.@Nullable Entry<FleetChoice, ChoiceTally> bestSetting() {
    return analysis.choices().stream()
        .filter(entry -> entry.getKey().isSetting())
        .findFirst()
        .orElse(null);
  }

  /** How many jobs there are, which of them are uneven, and which rank decides of the worst. */
  private static String jobs(List<JobTally> jobs) {
    List<JobTally> uneven = jobs.stream().filter(job -> !job.balance().isEven()).toList();
    long failing = jobs.stream().filter(job -> job.failures() > 0).count();
    String all =
        "%s of several ranks, %s failing on a GPU as recorded; "
            .formatted(Numbers.count(jobs.size(), "job"), Numbers.count(failing));
    if (uneven.isEmpty()) {
      return all + "the ranks of each job reserve nearly the same.";
    }
    JobTally worst =
        uneven.stream()
            .max(
                Comparator.comparingDouble((JobTally job) -> job.balance().ratio())
                    .thenComparing(JobTally::job, Comparator.reverseOrder()))
            .orElseThrow();
    return all
        + "in "
        + Numbers.count(uneven.size())
        + " the ranks reserve different amounts, most unevenly in "
        + worst.job()
        + ", whose "
        + worst.balance().highest().rank().label()
        + String.format(Locale.ROOT, " reserves %.2f times the median.", worst.balance().ratio());
  }

  private List<String> facts() {
    long lost = analysis.lost();
    String folder = analysis.commonFolder();
    List<String> facts = new ArrayList<>();
    long settings = analysis.choices().stream().filter(each -> each.getKey().isSetting()).count();
    long others = analysis.choices().size() - settings;
    facts.add(
        Numbers.count(analysis.traceCount(), "trace")
            + ", "
            + Numbers.count(analysis.runs(), "run")
            + ", "
            + Numbers.count(analysis.gpus().size(), "GPU")
            + ", "
            + Numbers.count(settings, "setting")
            + (others == 0 ? "" : ", " + Numbers.count(others, "other allocator"))
            + (folder.isEmpty() ? "." : "; trace names are relative to " + folder));
    facts.add(
        Numbers.count(analysis.failures(), "failure")
            + " with the recorded settings, counted for each trace and GPU"
            + (lost == 0
                ? "."
                : "; no setting prevents "
                    + Numbers.count(lost)
                    + " of them: in "
                    + (analysis.tooLarge() == lost ? "all" : Numbers.count(analysis.tooLarge()))
                    + " of these the program requests more memory than the GPU has."));
    List<JobTally> jobs = analysis.jobs();
    if (!jobs.isEmpty()) {
      facts.add(jobs(jobs));
    }
    facts.add(
        Numbers.count(analysis.unreadable(), "file")
            + " could not be read, "
            + Numbers.count(analysis.notRun(), "run")
            + " could not be simulated.");
    return facts;
  }
}
