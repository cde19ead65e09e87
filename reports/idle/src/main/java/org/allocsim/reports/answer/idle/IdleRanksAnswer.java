package org.allocsim.reports.answer.idle;

import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.nanos;
import static org.allocsim.reports.document.Quantity.share;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.idle.CauseSum;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.StepTime;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.StepTimeChart;
import org.allocsim.reports.chart.idle.ActivityColours;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.output.ChartFolder;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/**
 * Why the GPUs of several profiles are idle, and which rank the others wait for. Ranks take equally
 * long for a step, since collectives wait for the last; the rank that waits least in them is it.
 *
 * @param title the folder, or how many files there are
 * @param ranks one result for each profile, by rank
 */
public record IdleRanksAnswer(String title, List<IdleResult> ranks) {
  /** Waiting for less of a step is no straggling. */
  private static final double STRAGGLING = 0.02;

  /** Bars of a chart. */
  private static final int MAX_DRAWN = 32;

  private static final Shape<IdleResult> RANK =
      Shape.of(rank ->
          rank.term(Columns.FILE, "file", each -> each.source().file())
              .count(
                  "rank",
                  "rank",
                  "Rank of the process.",
                  each -> each.source().rank() < 0 ? null : each.source().rank())
              .missing("the profile does not say it")
              .nanos("step_nanos", "step", "Mean length of a step.", IdleResult::stepNanos)
              .nanos(
                  "compute_nanos",
                  "computes",
                  "The GPU runs kernels, in the mean of the steps.",
                  each -> each.total().computeNanos() / each.steps().size())
              .nanos(
                  "communicate_nanos",
                  "communicates",
                  "The GPU runs collectives and no other kernels, in the mean of the steps.",
                  IdleRanksAnswer::communicateNanos)
              .nanos(
                  "copy_nanos",
                  "copies",
                  "The GPU copies or fills memory and runs no kernels, in the mean of the steps.",
                  each -> each.total().copyNanos() / each.steps().size())
              .rank(2)
              .nanos(
                  "idle_nanos",
                  "idle",
                  "The GPU does nothing, in the mean of the steps.",
                  each -> each.total().idleNanos() / each.steps().size())
              .text(
                  "cause",
                  "mostly because of",
                  "The cause of most idle time.",
                  IdleRanksAnswer::cause)
              .missing("the GPU is never idle")
              .worded(IdleRanksAnswer::words)
              .rank(1));

  public static final Kind<IdleRanksAnswer> KIND =
      new Kind<>(
          "idle-ranks",
          "idle --json",
          "What `allocsim idle --json` writes for several profiles: where the time of each rank"
              + " goes.",
          Shape.of(answer ->
              answer.many("ranks", "One entry for each profile.", RANK, IdleRanksAnswer::ranks)));

  /** Keeps its own copy, by rank. */
  public IdleRanksAnswer {
    ranks =
        ranks.stream()
            .sorted(
                Comparator.comparingInt((IdleResult each) -> each.source().rank())
                    .thenComparing(each -> each.source().file()))
            .toList();
  }

  private static long communicateNanos(IdleResult rank) {
    return rank.total().communicateNanos() / rank.steps().size();
  }

  private static @Nullable String cause(IdleResult rank) {
    return rank.causes().stream().findFirst().map(sum -> sum.cause().id()).orElse(null);
  }

  private static String words(IdleResult rank) {
    return rank.causes().stream().findFirst().map(IdleRanksAnswer::words).orElse("-");
  }

  private static String words(CauseSum sum) {
    return sum.cause().words() + (sum.where().isEmpty() ? "" : " (" + sum.where() + ")");
  }

  private List<IdleResult> drawn() {
    return ranks.stream()
        .sorted(Comparator.comparingLong(IdleRanksAnswer::communicateNanos))
        .limit(MAX_DRAWN)
        .toList();
  }

  private BarData bars() {
    BarData data = new BarData("computes", "communicates", "copies", "idle");
    for (IdleResult rank : ranks) {
      if (drawn().contains(rank)) {
        StepTime mean = rank.total().over("mean", rank.steps().size());
        data.add(
            name(rank),
            "",
            mean.computeNanos(),
            mean.communicateNanos(),
            mean.copyNanos(),
            mean.idleNanos());
      }
    }
    return data;
  }

  /** What the GPUs do in a step, by rank. */
  private JFreeChart chart(ChartTheme theme, int width) {
    return StepTimeChart.create(
        verdict().sentence().toString(),
        "mean of the steps"
            + (ranks.size() > MAX_DRAWN
                ? "; the " + MAX_DRAWN + " of " + ranks.size() + " ranks that communicate least"
                : ""),
        bars(),
        ActivityColours.ofSteps(theme),
        theme,
        width);
  }

  /** Draws the chart into a folder. */
  public void draw(ChartFolder folder) throws IOException {
    folder.write(
        "idle-ranks",
        StepTimeChart.WIDTH,
        StepTimeChart.height(bars()),
        theme -> chart(theme, StepTimeChart.WIDTH));
  }

  /**
   * The answer.
   *
   * @param isDrawn whether there is a page, which shows the chart
   */
  public Document<IdleRanksAnswer> document(boolean isDrawn) {
    List<Block> blocks = new ArrayList<>();
    if (isDrawn) {
      blocks.add(
          PageChart.of(
              verdict().sentence().toString(),
              ChartSize.screen(StepTimeChart.WIDTH, StepTimeChart.height(bars())),
              ChartSize.screen(StepTimeChart.NARROW_WIDTH, StepTimeChart.height(bars())),
              this::chart));
    }
    blocks.add(Table.of("Ranks", RANK, ranks));
    return new Document<>(
        KIND,
        title,
        verdict(),
        List.of(new Section(null, blocks)),
        Table.of("Ranks", RANK, ranks),
        this);
  }

  private Verdict verdict() {
    IdleResult last =
        ranks.stream()
            .min(Comparator.comparingLong(IdleRanksAnswer::communicateNanos))
            .orElseThrow();
    IdleResult first =
        ranks.stream()
            .max(Comparator.comparingLong(IdleRanksAnswer::communicateNanos))
            .orElseThrow();
    long idle = ranks.stream().mapToLong(rank -> rank.total().idleNanos()).sum();
    long all = ranks.stream().mapToLong(rank -> rank.total().nanos()).sum();
    Sentence used =
        Sentence.of(
            "The GPUs of {} are idle {} of the time",
            count(ranks.size(), "profile"),
            share(idle, all));
    long waiting = communicateNanos(first) - communicateNanos(last);
    if (waiting < STRAGGLING * last.stepNanos()) {
      return new Verdict(Tone.NEUTRAL, Sentence.of("{}; no rank makes the others wait.", used));
    }
    return new Verdict(
        Tone.BAD,
        Sentence.of(
            "{}; {} is the straggler: {} communicates {} of each step, it {}.",
            used,
            name(last),
            name(first),
            nanos(communicateNanos(first)),
            nanos(communicateNanos(last))));
  }

  private static String name(IdleResult rank) {
    return rank.source().rank() < 0 ? rank.source().file() : "rank " + rank.source().rank();
  }
}
