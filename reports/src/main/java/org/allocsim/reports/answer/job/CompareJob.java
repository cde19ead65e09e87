package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.job.CompareJob.Finding;
import org.allocsim.reports.answer.job.CompareJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.run.RunResult;
import org.jspecify.annotations.Nullable;

/** {@code compare} of a job: allocators on every rank. */
public final class CompareJob extends JobView<ComparedTrace, Row, Finding> {
  /**
   * What an allocator made of a rank.
   *
   * @param policy the allocator with its options
   * @param notRunBecause why it was not run; null where it was
   * @param failures requests that failed
   * @param peakReservedBytes what it held at most
   * @param driverCalls calls of the driver
   */
  private record Outcome(
      String policy,
      @Nullable String notRunBecause,
      long failures,
      long peakReservedBytes,
      long driverCalls) {
    private static Outcome of(RunResult result) {
      return result.isRun()
          ? new Outcome(
              result.choice().label(),
              null,
              result.failureCount(),
              result.peakReservedBytes(),
              result.driverCalls())
          : new Outcome(result.choice().label(), result.notRunBecause(), 0, 0, 0);
    }

    private boolean passes() {
      return notRunBecause == null && failures == 0;
    }
  }

  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param outcomes what allocators made of it, the best first
   */
  public record Row(int device, List<Outcome> outcomes) {
    private Map<String, Outcome> byPolicy() {
      Map<String, Outcome> byPolicy = new LinkedHashMap<>();
      outcomes.forEach(each -> byPolicy.put(each.policy(), each));
      return byPolicy;
    }

    private Optional<Outcome> best() {
      return outcomes.stream().filter(Outcome::passes).findFirst();
    }
  }

  /**
   * An allocator on every rank.
   *
   * @param policy the allocator with its options
   * @param outcomes what it made of each rank
   */
  private record Line(String policy, List<Ranked<Outcome>> outcomes) {
    private @Nullable String notRunBecause() {
      return outcomes.stream()
          .map(each -> each.found().notRunBecause())
          .filter(Objects::nonNull)
          .findFirst()
          .orElse(null);
    }

    private List<String> failing() {
      return outcomes.stream()
          .filter(each -> each.found().failures() > 0)
          .map(each -> each.rank().id())
          .toList();
    }

    private boolean passes() {
      return notRunBecause() == null && failing().isEmpty();
    }

    private Ranked<Outcome> worst() {
      return outcomes.stream()
          .min(
              Comparator.comparingLong((Ranked<Outcome> each) -> -each.found().failures())
                  .thenComparingLong(each -> -each.found().peakReservedBytes()))
          .orElseThrow();
    }

    private long peakBytes() {
      return outcomes.stream()
          .mapToLong(each -> each.found().peakReservedBytes())
          .max()
          .orElseThrow();
    }

    private long failures() {
      return outcomes.stream().mapToLong(each -> each.found().failures()).sum();
    }

    private long driverCalls() {
      return outcomes.stream().mapToLong(each -> each.found().driverCalls()).sum();
    }
  }

  /**
   * What the ranks come to.
   *
   * @param lines allocators that were tried on every rank, the best first
   */
  public record Finding(List<Line> lines) {}

  private static final Shape<Line> LINES =
      Shape.of(line ->
          line.term(Columns.POLICY, "policy", Line::policy)
              .text("not_run_reason", "Why it was not run.", Line::notRunBecause)
              .missing("it was")
              .texts(
                  "failing_ranks",
                  "ranks that fail",
                  "Ranks on which a request fails.",
                  Line::failing)
              .worded(each ->
                  each.failing().isEmpty()
                      ? "none"
                      : each.failing().size() == each.outcomes().size()
                          ? "all"
                          : JobWords.list(each.failing(), 3))
              .term(Columns.PEAK_RESERVED_OF_RANKS, "peak reserved", Line::peakBytes)
              .text(
                  "worst_rank",
                  "worst rank",
                  "The rank with the most failed requests, else with the highest peak.",
                  each -> each.worst().rank().id())
              .term(Columns.DRIVER_CALLS_OF_RANKS, "driver calls", Line::driverCalls)
              .rank(1));

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .text(
                  "best_policy",
                  "best for it alone",
                  "The allocator that serves the rank with the least memory.",
                  each -> each.best().map(Outcome::policy).orElse(null))
              .missing("requests fail under each")
              .bytes(
                  "best_peak_reserved_bytes",
                  "peak reserved",
                  "Peak of reserved memory with that allocator.",
                  each -> each.best().map(Outcome::peakReservedBytes).orElse(null))
              .missing("requests fail under each"));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.many(
              "policies",
              "The allocators that were tried on every rank, the best first.",
              LINES,
              Finding::lines));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("compare", "allocators on every rank", ROW, FINDING);

  public CompareJob() {
    super(KIND, ROW);
  }

  @Override
  public Row keep(ComparedTrace trace) {
    return new Row(trace.device(), trace.results().stream().map(Outcome::of).toList());
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    List<Line> lines = new ArrayList<>();
    Ranked.onAll(ranks, Row::byPolicy)
        .forEach((policy, tried) -> lines.add(new Line(policy, tried)));
    lines.sort(
        Comparator.comparing((Line line) -> line.notRunBecause() != null)
            .thenComparing(line -> !line.passes())
            .thenComparingLong(Line::failures)
            .thenComparingLong(Line::peakBytes)
            .thenComparing(Line::policy));
    return new Finding(lines);
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    List<Line> served = answer.finding().lines().stream().filter(Line::passes).toList();
    Sentence ranks = count(answer.ranks().size(), "rank");
    Sentence next =
        Sentence.of(
            "Next: {} looks for one setting of PyTorch's allocator for all ranks.",
            answer.next().line("tune"));
    if (served.isEmpty()) {
      return new Verdict(
          Tone.BAD,
          Sentence.of("No allocator tried completes all {} without a failure.", ranks),
          List.of(next));
    }
    Line best = served.getFirst();
    return new Verdict(
        Tone.NEUTRAL,
        Sentence.of(
            "{} needs the least memory for all {}: at most {} reserved, on {}.",
            best.policy(),
            ranks,
            bytes(best.peakBytes()),
            best.worst().rank().label()),
        List.of(next));
  }

  @Override
  List<Block> blocks(JobAnswer<Row, Finding> answer) {
    return List.of(
        Table.of("Allocators on all ranks", LINES, answer.finding().lines())
            .leavingOut(Line::notRunBecause));
  }
}
