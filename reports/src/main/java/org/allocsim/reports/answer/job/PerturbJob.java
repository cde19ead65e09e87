package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.reports.answer.job.PerturbJob.Finding;
import org.allocsim.reports.answer.job.PerturbJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.tuning.PerturbAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;

/** {@code perturb} of a job: changed copies of every rank, those of one seed together. */
public final class PerturbJob extends JobView<PerturbAnswer, Row, Finding> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param runs number of copies
   * @param failedSeeds seeds of those that run out of memory
   * @param passes whether the program as it is passes
   * @param plainBytes what the program as it is reserves at most
   * @param highestBytes what any copy reserves at most
   * @param worstSeed seed of the copy that fails first, or has the highest peak where none fails
   */
  public record Row(
      int device,
      int runs,
      Set<Long> failedSeeds,
      boolean passes,
      long plainBytes,
      long highestBytes,
      long worstSeed) {
    private int failures() {
      return failedSeeds.size();
    }
  }

  /**
   * What the ranks come to.
   *
   * @param failing ranks of which copies run out of memory
   * @param worst the rank of which most do; of equals the one that reserves the most
   * @param runs copies of the job: one of each rank, of one seed
   * @param failedRuns those of which a rank runs out of memory, which ends the job
   */
  public record Finding(List<Rank> failing, Ranked<Row> worst, int runs, int failedRuns) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .term(Columns.COPIES, "copies", Row::runs)
              .rank(3)
              .term(Columns.FAILED_RUNS, "fail", Row::failures)
              .flag(
                  "unchanged_passes",
                  "passes",
                  "Whether the unchanged program passes.",
                  Row::passes)
              .rank(2)
              .bytes(
                  "unchanged_peak_reserved_bytes",
                  "unchanged peak",
                  "Peak of reserved memory of the unchanged program.",
                  Row::plainBytes)
              .bytes(
                  "max_peak_reserved_bytes",
                  "highest peak",
                  "Highest peak of reserved memory of any copy.",
                  Row::highestBytes)
              .count(
                  "worst_seed",
                  "worst seed",
                  "Seed of the copy that fails first, or of the copy with the highest peak if"
                      + " none fails.",
                  Row::worstSeed)
              .rank(1));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.count(
                  "runs",
                  "Copies of the job: one copy of each rank, with the same seed.",
                  Finding::runs)
              .count(
                  "failed_runs",
                  "Copies in which a rank runs out of memory, which ends the job.",
                  Finding::failedRuns)
              .count(
                  "failing_ranks",
                  "Number of ranks with copies that run out of memory.",
                  each -> each.failing().size())
              .text(
                  "worst_rank",
                  "The rank with the most such copies; ties go to the one that reserves the"
                      + " most.",
                  each -> each.worst().rank().id()));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("perturb", "randomly changed copies of every rank", ROW, FINDING);

  public PerturbJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(PerturbAnswer answer) {
    Fragility fragility = answer.fragility();
    Set<Long> failed = new HashSet<>();
    fragility.runs().stream()
        .filter(each -> !each.result().passes())
        .forEach(each -> failed.add(each.seed()));
    return new Row(
        answer.deviceIndex(),
        fragility.runs().size(),
        Set.copyOf(failed),
        fragility.plain().passes(),
        fragility.plain().peakReservedBytes(),
        fragility.peakReservedBytes(1),
        fragility.worst().seed());
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    int most = ranks.stream().mapToInt(each -> each.found().failures()).max().orElseThrow();
    Set<Long> failed = new HashSet<>();
    ranks.forEach(each -> failed.addAll(each.found().failedSeeds()));
    return new Finding(
        Ranked.where(ranks, each -> each.failures() > 0),
        Ranked.highest(
            ranks.stream().filter(each -> each.found().failures() == most).toList(),
            Row::highestBytes),
        ranks.stream().mapToInt(each -> each.found().runs()).max().orElseThrow(),
        failed.size());
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Finding finding = answer.finding();
    Ranked<Row> worst = finding.worst();
    List<Sentence> details = new ArrayList<>();
    if (finding.failing().isEmpty()) {
      details.add(
          Sentence.of(
              "The highest peak of any copy is {}, on {}.",
              bytes(worst.found().highestBytes()),
              worst.rank().label()));
    } else {
      details.add(
          Sentence.of(
              "Most fail on {}: {} of {}; seed {} is the worst.",
              worst.rank().label(),
              count(worst.found().failures()),
              count(worst.found().runs()),
              worst.found().worstSeed()));
    }
    details.add(
        finding.failing().isEmpty()
            ? Sentence.of(
                "Next: {} finds the smallest device for all ranks.",
                answer.next().line("min-capacity"))
            : JobWords.diagnose(answer.next()));
    Quantity copies = count(finding.runs());
    String noun = finding.runs() == 1 ? "copy" : "copies";
    return new Verdict(
        finding.failing().isEmpty() ? Tone.GOOD : Tone.BAD,
        finding.failing().isEmpty()
            ? Sentence.of(
                "None of {} randomly changed {} of each rank runs out of memory.", copies, noun)
            : Sentence.of(
                "{} of {} randomly changed {} of the job run out of memory, on {}.",
                count(finding.failedRuns()),
                copies,
                noun,
                JobWords.ranks(finding.failing())),
        details);
  }
}
