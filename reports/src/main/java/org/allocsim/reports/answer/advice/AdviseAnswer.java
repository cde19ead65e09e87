package org.allocsim.reports.answer.advice;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.allocsim.analysis.advice.Goal;
import org.allocsim.analysis.advice.Remedy;
import org.allocsim.analysis.advice.RemedySearch;
import org.allocsim.analysis.advice.StepWork;
import org.allocsim.analysis.advice.Trial;
import org.allocsim.analysis.advice.Trials;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.RemedyChart;
import org.allocsim.reports.chart.memory.BeforeAfterChart;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verbatim;
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.stats.ByteFormat;
import org.jspecify.annotations.Nullable;

/**
 * Which changes make a program fit a GPU.
 *
 * @param trials what was tried
 * @param peaks the peaks of the program as it is and of the run that is recommended, by purpose;
 *     null if only one of the two runs was recorded
 */
public record AdviseAnswer(Trials trials, @Nullable DiffAnswer peaks, @Nullable Checked checked) {
  /**
   * A recording of the changed program on a GPU.
   *
   * @param file its name
   * @param reservedBytes reserved memory at its peak
   * @param remedies names of the remedies that the program had
   * @param predictedBytes what was predicted for these
   */
  public record Checked(
      String file, long reservedBytes, List<String> remedies, long predictedBytes) {
    /** How much more was predicted, as a share of what was recorded. */
    double error() {
      return (double) predictedBytes / Math.max(1, reservedBytes) - 1;
    }
  }

  private static final String AS_IT_IS = "unchanged";

  /** Lines on what limits an answer, at most; the JSON has all. */
  private static final int MAX_LIMITS = 5;

  /** What remedies say that cost nothing. */
  private static final String FREE = "none";

  /** A run, and what is said of it. */
  private record Row(Trial trial, AdviseAnswer of) {
    String label() {
      return trial.isBaseline() ? AS_IT_IS : String.join(" + ", trial.remedies());
    }

    <T> @Nullable T outcome(Function<Trial.Outcome, @Nullable T> figure) {
      Trial.Outcome outcome = trial.outcome();
      return outcome == null ? null : figure.apply(outcome);
    }

    <T> @Nullable T work(Function<StepWork, T> figure) {
      StepWork work = trial.work();
      return work == null ? null : figure.apply(work);
    }

    @Nullable Double change() {
      return outcome(_ -> 0 - of.trials.savedRatio(trial));
    }

    @Nullable Double addedTime() {
      return of.trials.addedTimeRatio(trial);
    }

    /** A change as people read it; nothing for the program as it is. */
    String signed(@Nullable Double ratio) {
      if (ratio == null || trial.isBaseline()) {
        return "";
      }
      double percent = Math.round(1000 * ratio) / 10.0;
      return percent == 0 ? "0 %" : String.format(Locale.ROOT, "%+.1f %%", percent);
    }

    String fits() {
      if (trial.outcome() == null) {
        return "fails";
      }
      return switch (of.trials.fit(trial)) {
        case YES -> "yes";
        case WITH_SETTINGS -> "with settings";
        case NO -> "no";
      };
    }
  }

  /** A remedy that was not tried. */
  private record Left(Remedy remedy, String reason) {}

  private static final Shape<Row> ROW =
      Shape.of(row ->
          row.shown(Unit.TEXT, "remedies", "What was changed.", Row::label)
              .texts(
                  "remedies",
                  "Names of the remedies; empty: the unchanged program.",
                  each -> each.trial.remedies())
              .bytes(
                  "reserved_bytes",
                  "reserved",
                  "Reserved memory at its peak.",
                  each -> each.outcome(Trial.Outcome::reservedBytes))
              .missing("the run failed")
              .bytes(
                  "high_bytes",
                  "at most",
                  "Upper bound of the reserved memory estimate.",
                  each -> each.outcome(Trial.Outcome::highBytes))
              .missing("the run failed, or memory grows with each step")
              .rank(1)
              .ratio(
                  "change_ratio",
                  "change",
                  "Change of reserved memory relative to the unchanged program.",
                  Row::change)
              .missing("the run failed")
              .worded(each -> each.signed(each.change()))
              .text(
                  "fits",
                  "fits",
                  "Whether it fits with the margin: yes, with settings (of PyTorch's allocator),"
                      + " no, or fails.",
                  Row::fits)
              .ratio(
                  "added_time_ratio",
                  "step time",
                  "Modelled by the GPU's roofline: how much longer a step takes, relative to the"
                      + " unchanged program.",
                  Row::addedTime)
              .missing("the work of a step is unknown, as for a compiled model")
              .worded(each -> each.signed(each.addedTime()))
              .rank(1)
              .text(
                  "smallest_gpu",
                  "smallest GPU",
                  "Smallest GPU on which it certainly fits.",
                  each -> each.outcome(Trial.Outcome::smallestGpu))
              .missing("no known GPU is large enough or the run failed")
              .rank(2)
              .bytes(
                  "requested_bytes",
                  "Peak requested memory.",
                  each -> each.outcome(Trial.Outcome::requestedBytes))
              .missing("the run failed")
              .bytes(
                  "allocated_bytes",
                  "Allocated memory at its peak.",
                  each -> each.outcome(Trial.Outcome::allocatedBytes))
              .missing("the run failed")
              .text(
                  "best_conf",
                  "PYTORCH_CUDA_ALLOC_CONF that reserves the least; empty: the default.",
                  each -> each.outcome(Trial.Outcome::bestConf))
              .missing("the run failed")
              .bytes(
                  "best_reserved_bytes",
                  "Reserved memory with these.",
                  each -> each.outcome(Trial.Outcome::bestReservedBytes))
              .missing("the run failed")
              .number(
                  "step_flops",
                  "Floating-point operations per step, or of the run if it has no steps.",
                  each -> each.work(StepWork::flops))
              .missing("the work of a step is unknown")
              .bytes(
                  "step_copied_bytes",
                  "Bytes copied between host and GPU in that time.",
                  each -> each.work(StepWork::copiedBytes))
              .missing("the work of a step is unknown")
              .count(
                  "step_operations",
                  "GPU operations in that time.",
                  each -> each.work(StepWork::launches))
              .missing("the work of a step is unknown")
              .text("problem", "Why the run did not complete.", each -> each.trial.problem())
              .missing("it completed")
              .texts(
                  "notes",
                  "Caveats: how far the program ran and what was guessed.",
                  each -> each.trial.notes())
              .text("file", "Its recording, next to the trials file.", each -> each.trial.file())
              .missing("it was not kept"));

  private static final Shape<Left> LEFT =
      Shape.of(left ->
          left.text("name", "Its id.", each -> each.remedy.name())
              .text("title", "remedy", "What to change.", each -> each.remedy.title())
              .text("reason", "why it was not tried", "Why it was not tried.", Left::reason)
              .bytes(
                  "max_saved_bytes",
                  "Upper bound of its savings in live memory at the peak.",
                  each -> each.remedy.maxSavedBytes())
              .missing("unknown or not applicable"));

  private static final Shape<Remedy.Lines> LINES =
      Shape.of(lines ->
          lines
              .text("place", "FILE:LINE of a statement.", Remedy.Lines::place)
              .text("text", "The lines.", Remedy.Lines::text)
              .flag(
                  "replaces",
                  "Whether they replace that statement; otherwise they go after it.",
                  Remedy.Lines::replaces));

  private static final Shape<PeakDifference.Row> PURPOSE =
      Shape.of(purpose ->
          purpose
              .text("purpose", "purpose", "Memory category.", PeakDifference.Row::label)
              .bytes(
                  "before_requested_bytes",
                  AS_IT_IS,
                  "Peak of the unchanged program.",
                  each -> each.before().requestedBytes())
              .bytes(
                  "after_requested_bytes",
                  "changed",
                  "Peak of the changed program.",
                  each -> each.after().requestedBytes())
              .shown(
                  Unit.BYTES,
                  "change",
                  "The second minus the first.",
                  each -> each.requestedBytes()));

  private static final Shape<Checked> CHECKED =
      Shape.of(checked ->
          checked
              .text("file", "The recording.", Checked::file)
              .bytes("reserved_bytes", "Reserved memory at its peak.", Checked::reservedBytes)
              .texts("remedies", "The remedies applied to the program.", Checked::remedies)
              .bytes("predicted_bytes", "Prediction for these.", Checked::predictedBytes)
              .ratio("error_ratio", "Relative prediction error.", Checked::error));

  public static final Kind<AdviseAnswer> KIND =
      new Kind<>(
          "advise",
          "advise --json",
          "What `allocsim advise --json` writes: which changes make a program fit a GPU.",
          Shape.of(answer ->
              answer
                  .text("program", "The program's command line.", each -> each.trials.program())
                  .text("gpu", "The GPU.", each -> each.trials.gpu().name())
                  .bytes(
                      "limit_bytes",
                      "Memory that it should fit in.",
                      each -> each.trials.goal().limitBytes())
                  .ratio(
                      "margin_ratio",
                      "Fraction of it to keep free.",
                      each -> each.trials.goal().marginRatio())
                  .flag(
                      "fits",
                      "Whether the program fits, unchanged or changed.",
                      each -> each.search().best().isPresent())
                  .texts(
                      "chosen",
                      "Cheapest remedies that make it fit; empty: it fits unchanged.",
                      each -> each.search().best().map(Trials.Done::remedies).orElse(null))
                  .missing("nothing tried makes it fit")
                  .text(
                      "conf",
                      "The settings of PyTorch's allocator that it needs; empty: those it"
                          + " already has.",
                      each -> each.search().best().map(each::neededConf).orElse(null))
                  .missing("nothing tried makes it fit")
                  .flag(
                      "out_of_time",
                      "Whether runs were skipped for lack of time.",
                      each -> each.trials.isOutOfTime())
                  .many("paste", "What to paste for these remedies.", LINES, AdviseAnswer::lines)
                  .many(
                      "trials",
                      "Runs: the unchanged program first, then by reserved memory.",
                      ROW,
                      AdviseAnswer::rows)
                  .many("not_tried", "Remedies that were not tried.", LEFT, AdviseAnswer::left)
                  .many(
                      "purposes",
                      "Memory by category at the peaks of the unchanged and the recommended"
                          + " program.",
                      PURPOSE,
                      each -> each.purposes())
                  .missing("only one of the two runs was recorded")
                  .one(
                      "checked",
                      "A recording of the changed program.",
                      CHECKED,
                      AdviseAnswer::checked)
                  .missing("none was given")));

  /**
   * The answer for people and programs.
   *
   * @param courses memory of the unchanged and of the changed program for its drawings, none where
   *     one is not known; null where nothing is drawn, which needs fonts of the system
   */
  public Document<AdviseAnswer> document(@Nullable List<BeforeAfterChart.Course> courses) {
    List<Section> sections = new ArrayList<>();
    if (!lines().isEmpty()) {
      sections.add(
          new Section("To paste", lines().stream().<Block>map(AdviseAnswer::pasted).toList()));
    }
    Block tried = Table.of("What was tried", ROW, rows()).at("/trials");
    sections.add(
        new Section(
            null,
            courses != null ? List.of(tried, charts(courses).runs().onPage()) : List.of(tried)));
    List<PeakDifference.Row> purposes = purposes();
    if (purposes != null) {
      List<Block> blocks = new ArrayList<>();
      if (courses != null) {
        charts(courses).difference().forEach(each -> blocks.add(each.onPage()));
      }
      blocks.add(Table.of("Requested memory at the peaks, by purpose", PURPOSE, purposes));
      sections.add(new Section(courses != null ? "Before and after" : null, blocks));
    }
    if (!left().isEmpty()) {
      sections.add(new Section(null, List.of(Table.of("What was not tried", LEFT, left()))));
    }
    sections.add(new Section("Notes", List.of(new Notes(null, notes()))));
    return new Document<>(
        KIND,
        "How " + trials.program() + " fits " + goalName(),
        checked == null ? verdict() : verdict().after(comparison(checked)),
        sections,
        Table.of("Trials", ROW, rows()),
        this);
  }

  private static Verbatim pasted(Remedy.Lines lines) {
    String where = lines.replaces() ? "in place of " : "after ";
    return new Verbatim("# " + where + fromHere(lines.place()) + "\n" + lines.text());
  }

  /** A place with the path from the current folder, where its file is in there. */
  private static String fromHere(String place) {
    String here = Path.of("").toAbsolutePath() + File.separator;
    return place.startsWith(here) ? place.substring(here.length()) : place;
  }

  private Verdict verdict() {
    Optional<Trial> asItIs = trials.baseline();
    Optional<Trials.Done> baseline = asItIs.flatMap(Trials::done);
    if (baseline.isEmpty()) {
      String problem = asItIs.map(Trial::problem).orElse("it was not run");
      return new Verdict(
          Verdict.Tone.BAD, Sentence.of("The program did not complete: {}", problem));
    }
    return search()
        .best()
        .map(best -> fitting(best, baseline.get()))
        .orElseGet(() -> nothingFits(baseline.get()));
  }

  private static Sentence comparison(Checked checked) {
    return Sentence.of(
        "Recorded: {} reserved {}; {} was predicted ({}).",
        checked.file(),
        bytes(checked.reservedBytes()),
        bytes(checked.predictedBytes()),
        String.format(Locale.ROOT, "%+.2f %%", 100 * checked.error()).replace("-0.00", "0.00"));
  }

  private Verdict fitting(Trials.Done best, Trials.Done baseline) {
    boolean needsConf = needsConf(best);
    boolean isChanged = !best.remedies().isEmpty();
    long reservedBytes =
        needsConf ? best.outcome().bestReservedBytes() : best.outcome().reservedBytes();
    String conf = "PYTORCH_CUDA_ALLOC_CONF=" + best.outcome().bestConf();
    Sentence how =
        isChanged
            ? Sentence.of(" if you {}{}", titles(best), needsConf ? " and set " + conf : "")
            : Sentence.of("{}", needsConf ? " with " + conf : " unchanged");
    Sentence before =
        isChanged || needsConf
            ? Sentence.of(" instead of {}", bytes(baseline.outcome().reservedBytes()))
            : Sentence.of("");
    List<Sentence> details = limits(best.trial());
    for (String each : best.remedies()) {
      Remedy remedy = trials.remedy(each);
      if (!remedy.cost().equals(FREE)) {
        details.add(Sentence.of("{}: {}.", remedy.name(), remedy.cost()));
      }
    }
    Double added = trials.addedTimeRatio(best.trial());
    if (isChanged && added != null) {
      details.add(
          Sentence.of(
              "A step takes {} by the GPU's peak rates (modelled, not measured).", more(added)));
    }
    return new Verdict(
        Verdict.Tone.GOOD,
        Sentence.of(
            "Fits {}{}, with {} to spare: it reserves {}{}.",
            goalName(),
            how,
            bytes(trials.goal().limitBytes() - reservedBytes),
            bytes(reservedBytes),
            before),
        details,
        needsConf ? "export " + conf : null);
  }

  private Verdict nothingFits(Trials.Done baseline) {
    Trials.Done least = search().least().orElse(baseline);
    Long highBytes = least.outcome().highBytes();
    boolean mayFit =
        highBytes != null && least.outcome().reservedBytes() <= trials.goal().goalBytes();
    String reserved = ByteFormat.human(least.outcome().reservedBytes());
    if (highBytes != null && mayFit) {
      reserved += ", possibly up to %s".formatted(ByteFormat.human(highBytes));
    }
    Sentence lowest =
        least.remedies().isEmpty()
            ? Sentence.of("nothing lowers its reserved memory: {}", reserved)
            : Sentence.of(
                "the least is {}, instead of {}, if you {}",
                reserved,
                bytes(baseline.outcome().reservedBytes()),
                titles(least));
    List<Sentence> details = limits(least.trial());
    if (trials.isOutOfTime()) {
      details.add(
          Sentence.of(
              "Time ran out before all runs were done; run the same command again to"
                  + " continue."));
    }
    Sentence goal =
        trials.goal().isChosen()
            ? Sentence.of("{}", goalName())
            : Sentence.of("{}, which has {}", goalName(), bytes(trials.goal().limitBytes()));
    return new Verdict(
        Verdict.Tone.BAD,
        Sentence.of(
            "Nothing tried {} fit {}: {}.", mayFit ? "is sure to" : "makes it", goal, lowest),
        details);
  }

  /** What is not known of a run, which is said before all else. */
  private static List<Sentence> limits(Trial trial) {
    List<Sentence> limits = new ArrayList<>();
    Trial.Outcome outcome = trial.outcome();
    if (outcome != null && outcome.highBytes() == null) {
      limits.add(
          Sentence.of(
              "Its memory grows with each step, so longer runs need more; 'allocsim leaks' names"
                  + " the line."));
    }
    trial.notes().stream().limit(MAX_LIMITS).forEach(each -> limits.add(Sentence.of("{}", each)));
    return limits;
  }

  String goalName() {
    return trials.goal().isChosen()
        ? ByteFormat.human(trials.goal().limitBytes())
        : trials.gpu().name();
  }

  private String titles(Trials.Done run) {
    List<String> titles = run.remedies().stream().map(each -> trials.remedy(each).title()).toList();
    return titles.size() < 2
        ? String.join("", titles)
        : String.join(", ", titles.subList(0, titles.size() - 1)) + " and " + titles.getLast();
  }

  private List<Sentence> notes() {
    List<Sentence> notes = new ArrayList<>();
    for (Row each : rows()) {
      String problem = each.trial.problem();
      if (problem != null) {
        notes.add(Sentence.of("{}: {}", each.label(), problem));
      }
    }
    notes.add(
        Sentence.of(
            "A run fits if it leaves {} of {} free and the upper bound of its estimate is within"
                + " the limit.",
            Numbers.percent(trials.goal().marginRatio()),
            bytes(trials.goal().limitBytes())));
    notes.add(
        Sentence.of(
            "{} of the program ran without a GPU. Step times are modelled from the GPU's peak"
                + " rates.",
            count(trials.trials().size(), "variant")));
    return notes;
  }

  /** A bar for each run; telephones have no room for what it costs. */
  BarData bars(boolean saysCost) {
    BarData data = RemedyChart.data();
    for (Row each : rows()) {
      Trial.Outcome outcome = each.trial.outcome();
      if (outcome != null) {
        Goal.Fit fit = trials.fit(each.trial);
        boolean hasConf = fit == Goal.Fit.WITH_SETTINGS;
        List<String> remarks = new ArrayList<>();
        String time = each.signed(each.addedTime());
        if (!time.isEmpty()) {
          remarks.add("time " + time);
        }
        if (hasConf) {
          remarks.add("with " + outcome.bestConf());
        }
        RemedyChart.add(
            data,
            each.label(),
            saysCost ? String.join(", ", remarks) : "",
            hasConf ? outcome.bestReservedBytes() : outcome.reservedBytes());
        if (fit != Goal.Fit.NO) {
          data.emphasise();
        }
      }
    }
    return data;
  }

  /**
   * Its drawings.
   *
   * @param courses memory of the unchanged and of the changed program; none where one is not known
   */
  public AdviceCharts charts(List<BeforeAfterChart.Course> courses) {
    return new AdviceCharts(this, courses);
  }

  /** What the recommended run changes, in a few words; its recording has the default settings. */
  String change() {
    return search().best().or(() -> search().least()).stream()
        .map(each ->
            new Row(each.trial(), this).label()
                + (needsConf(each) ? ", before " + each.outcome().bestConf() : ""))
        .findFirst()
        .orElse(AS_IT_IS);
  }

  /** Memory by purpose at both peaks; null where one of the two runs was not recorded. */
  @Nullable List<PeakDifference.Row> purposes() {
    if (peaks == null) {
      return null;
    }
    PeakDifference.Row unknown = peaks.difference().unknown();
    boolean isAll = unknown.before().blocks() + unknown.after().blocks() == 0;
    return Stream.concat(
            peaks.difference().rows().stream(), isAll ? Stream.empty() : Stream.of(unknown))
        .toList();
  }

  private RemedySearch search() {
    return new RemedySearch(trials);
  }

  private boolean needsConf(Trials.Done run) {
    return trials.fit(run.trial()) == Goal.Fit.WITH_SETTINGS;
  }

  private String neededConf(Trials.Done run) {
    return needsConf(run) ? run.outcome().bestConf() : run.outcome().conf();
  }

  private List<Row> rows() {
    return trials.trials().stream()
        .sorted(
            Comparator.comparing((Trial each) -> !each.isBaseline())
                .thenComparingLong(AdviseAnswer::reservedOrMost)
                .thenComparing(each -> String.join(" ", each.remedies())))
        .map(each -> new Row(each, this))
        .toList();
  }

  private static long reservedOrMost(Trial trial) {
    Trial.Outcome outcome = trial.outcome();
    return outcome == null ? Long.MAX_VALUE : outcome.reservedBytes();
  }

  private List<Left> left() {
    List<Left> left = new ArrayList<>();
    List<String> chosen = trials.chosen();
    for (Remedy each : trials.remedies()) {
      if (chosen != null && !chosen.contains(each.name())) {
        continue;
      }
      String reason = search().reasonAgainst(each);
      if (reason != null) {
        left.add(new Left(each, reason));
      }
    }
    return left;
  }

  private List<Remedy.Lines> lines() {
    return search().best().stream()
        .flatMap(each -> each.remedies().stream())
        .flatMap(each -> trials.remedy(each).lines().stream())
        .toList();
  }

  private static String more(double ratio) {
    if (Math.abs(ratio) < 0.005) {
      return "as long as before";
    }
    return Numbers.percent(Math.abs(ratio)) + (ratio > 0 ? " longer" : " less time");
  }
}
