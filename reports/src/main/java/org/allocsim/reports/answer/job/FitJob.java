package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.job.FitJob.Finding;
import org.allocsim.reports.answer.job.FitJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.tuning.FitAnswer;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.jspecify.annotations.Nullable;

/** {@code fit} of several jobs that differ in batch or length: what each rank needs at another. */
public final class FitJob extends JobView<FitAnswer, Row, Finding> {
  private static final String NO_LIMIT = "no limit was found";

  /**
   * A job and its batch or length.
   *
   * @param folder its folder
   * @param size its batch or length
   */
  public record Sized(Path folder, double size) {}

  /**
   * What a rank needs under a setting.
   *
   * @param peakBytes predicted peak of reserved memory
   * @param lowBytes lower end of its interval
   * @param highBytes upper end
   * @param fits whether the size that was asked for fits the GPU
   * @param largest the largest size that fits; 0 for none, −1 where no limit was found
   */
  private record Need(long peakBytes, long lowBytes, long highBytes, boolean fits, long largest) {
    private @Nullable Long largestSize() {
      return largest < 0 ? null : Long.valueOf(largest);
    }
  }

  /**
   * A rank.
   *
   * @param sharedRatio share of the requests that all its recordings have
   * @param recordedConf the first setting: the one that it was recorded with
   * @param needs what it needs, by setting
   */
  public record Row(double sharedRatio, String recordedConf, SequencedMap<String, Need> needs) {
    private Need recorded() {
      return needs.firstEntry().getValue();
    }
  }

  /**
   * A setting on every rank.
   *
   * @param conf configuration string
   * @param needs what each rank needs
   */
  private record Line(String conf, List<Ranked<Need>> needs) {
    private Ranked<Need> worst() {
      return Ranked.highest(needs, Need::peakBytes);
    }

    private List<Rank> failing() {
      return Ranked.where(needs, each -> !each.fits());
    }

    /** The rank that allows the smallest size; one without a limit allows any. */
    private Ranked<Need> smallest() {
      return needs.stream()
          .min(
              Comparator.comparingLong(
                  each -> each.found().largest() < 0 ? Long.MAX_VALUE : each.found().largest()))
          .orElseThrow();
    }
  }

  /**
   * What the ranks come to.
   *
   * @param wanted batch or length that was asked for
   * @param sizes the jobs
   * @param lines settings that were tried on every rank, the recorded one first
   * @param left ranks that not every job has
   */
  public record Finding(double wanted, List<Sized> sizes, List<Line> lines, List<Rank> left) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.ratio(
                  "shared_requests_ratio",
                  "in all",
                  "Fraction of the requests that all recordings of the rank share.",
                  Row::sharedRatio)
              .rank(3)
              .text("conf", "setting", "The recorded setting.", Row::recordedConf)
              .worded(each -> Settings.name(each.recordedConf()))
              .rank(2)
              .term(
                  Columns.PEAK_RESERVED_PREDICTED, "reserves", each -> each.recorded().peakBytes())
              .term(Columns.LOW_RESERVED_BYTES, "at least", each -> each.recorded().lowBytes())
              .rank(1)
              .term(Columns.HIGH_RESERVED_BYTES, "at most", each -> each.recorded().highBytes())
              .term(Columns.FITS, "fits", each -> each.recorded().fits())
              .term(
                  Columns.LARGEST_SIZE, "largest that fits", each -> each.recorded().largestSize())
              .missing(NO_LIMIT));

  private static final Shape<Line> LINES =
      Shape.of(line ->
          line.term(Columns.CONF, "setting", Line::conf)
              .worded(each -> Settings.name(each.conf()))
              .bytes(
                  "peak_reserved_bytes",
                  "reserves",
                  "Predicted peak of reserved memory of any rank, on a GPU with ample memory.",
                  each -> each.worst().found().peakBytes())
              .bytes(
                  "high_reserved_bytes",
                  "at most",
                  "Upper end of the interval on that rank.",
                  each -> each.worst().found().highBytes())
              .text(
                  "worst_rank",
                  "worst rank",
                  "The rank that reserves the most.",
                  each -> each.worst().rank().id())
              .texts(
                  "failing_ranks",
                  "ranks that fail",
                  "Ranks on which a request fails on the GPU.",
                  each -> each.failing().stream().map(Rank::id).toList())
              .worded(each -> each.failing().isEmpty() ? "none" : JobWords.ranks(each.failing()))
              .count(
                  "largest_size",
                  "largest that fits",
                  "The largest batch or length at which every request of every rank succeeds.",
                  each -> each.smallest().found().largestSize())
              .missing(NO_LIMIT));

  private static final Shape<Sized> SIZES =
      Shape.of(job ->
          job.text("folder", "Name of the job's folder.", each -> each.folder().toString())
              .term(Columns.SIZE, Sized::size));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.number("requested_size", "The batch size or length asked for.", Finding::wanted)
              .many("sizes", "The jobs.", SIZES, Finding::sizes)
              .texts(
                  "skipped_ranks",
                  "Ranks that not every job has.",
                  each -> each.left().stream().map(Rank::id).toList())
              .many(
                  "settings",
                  "Settings that were tried on every rank, the recorded one first.",
                  LINES,
                  Finding::lines));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("fit", "what each rank needs at another batch or length", ROW, FINDING);

  private final double wanted;
  private final List<Sized> sizes;
  private final List<Rank> left;

  /**
   * The question.
   *
   * @param wanted batch or length that is asked for
   * @param sizes the jobs
   * @param left ranks that not every job has
   */
  public FitJob(double wanted, List<Sized> sizes, List<Rank> left) {
    super(KIND, ROW);
    this.wanted = wanted;
    this.sizes = List.copyOf(sizes);
    this.left = List.copyOf(left);
  }

  @Override
  public Row keep(FitAnswer answer) {
    SequencedMap<String, Need> needs = new LinkedHashMap<>();
    for (FitAnswer.Row row : answer.rows()) {
      needs.put(
          row.conf(),
          new Need(
              row.prediction().result().peakReservedBytes(),
              row.prediction().lowReservedBytes(),
              row.prediction().highReservedBytes(),
              row.fits(),
              row.largest()));
    }
    return new Row(answer.fit().sharedRatio(), answer.rows().getFirst().conf(), needs);
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    List<Line> lines = new ArrayList<>();
    for (Map.Entry<String, List<Ranked<Need>>> each : Ranked.onAll(ranks, Row::needs).entrySet()) {
      lines.add(new Line(each.getKey(), each.getValue()));
    }
    return new Finding(wanted, sizes, lines, left);
  }

  @Override
  Facts facts(JobAnswer<Row, Finding> answer) {
    return Facts.none()
        .and(
            "jobs",
            "{}",
            String.join(
                ", ",
                sizes.stream()
                    .map(each -> each.folder() + " " + FitAnswer.number(each.size()))
                    .toList()));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    List<Line> lines = answer.finding().lines();
    List<Sentence> details = new ArrayList<>();
    if (!left.isEmpty()) {
      details.add(Sentence.of("Skipped because not every job has them: {}.", JobWords.ranks(left)));
    }
    if (lines.isEmpty()) {
      return new Verdict(
          Tone.BAD,
          Sentence.of("No setting was tried on every rank; give some with --confs."),
          details);
    }
    Line first = lines.getFirst();
    Line best =
        lines.stream()
            .min(Comparator.comparingLong(each -> each.worst().found().peakBytes()))
            .orElseThrow();
    details.add(0, largest(first));
    if (!best.equals(first)) {
      details.add(
          1,
          Sentence.of(
              "With {} the highest is {}, on {}.",
              Settings.name(best.conf()),
              bytes(best.worst().found().peakBytes()),
              best.worst().rank().label()));
      details.add(2, largest(best));
    }
    boolean helps = !first.failing().isEmpty() && best.failing().isEmpty();
    Ranked<Need> worst = first.worst();
    return new Verdict(
        first.failing().isEmpty() ? Tone.NEUTRAL : helps ? Tone.GOOD : Tone.BAD,
        Sentence.of(
            "At {} {} reserves the most, {}, interval {} to {}, under {}; {}.",
            FitAnswer.number(wanted),
            worst.rank().label(),
            bytes(worst.found().peakBytes()),
            bytes(worst.found().lowBytes()),
            bytes(worst.found().highBytes()),
            Settings.name(first.conf()),
            first.failing().isEmpty()
                ? "every request of every rank succeeds"
                : "requests fail on "
                    + JobWords.ranks(first.failing())
                    + (helps ? ", but none with " + Settings.name(best.conf()) : "")),
        details);
  }

  private static Sentence largest(Line line) {
    Ranked<Need> smallest = line.smallest();
    String name = Settings.name(line.conf());
    return smallest.found().largest() < 0
        ? Sentence.of("Every size tried fits with {}.", name)
        : smallest.found().largest() == 0
            ? Sentence.of("Not even 1 fits {} with {}.", smallest.rank().label(), name)
            : Sentence.of(
                "The largest that fits every rank with {} is {}; {} decides.",
                name,
                Numbers.count(smallest.found().largest()),
                smallest.rank().label());
  }

  @Override
  List<Block> blocks(JobAnswer<Row, Finding> answer) {
    return List.of(Table.of("Settings on all ranks", LINES, answer.finding().lines()));
  }

  @Override
  boolean holds(Finding finding) {
    return finding.lines().stream().anyMatch(each -> each.failing().isEmpty());
  }

  /** Jobs with their sizes. */
  public static List<Sized> sized(List<Job> jobs, List<Double> sizes) {
    List<Sized> sized = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      sized.add(new Sized(jobs.get(i).folder(), sizes.get(i)));
    }
    return sized;
  }
}
