package org.allocsim.reports.answer.diagnosis;

import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.allocsim.analysis.leak.Forecast;
import org.allocsim.analysis.leak.Growth;
import org.allocsim.analysis.leak.IterationSeries;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.LeakVerdict;
import org.allocsim.analysis.leak.Trend;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.RecordingMaps;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.LeakTrendChart;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.input.Addresses;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.source.DeviceTrace;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/**
 * What memory does over the iterations of a program.
 *
 * @param input the trace
 * @param addresses where addresses came from
 * @param version the release of PyTorch whose rules applied
 * @param analysis the trends
 * @param capacityBytes what the allocator can have on the GPU of the forecast
 */
public record LeaksAnswer(
    DeviceTrace input,
    Addresses addresses,
    PyTorchVersion version,
    LeakAnalysis analysis,
    long capacityBytes) {
  private static final int ROWS = 8;

  /** Characters of a title that fit into a line. */
  private static final int MAX_TITLE = 70;

  private static final String NO_GROWTH = "nothing grows";

  private static final Shape<LeaksAnswer> TRACE =
      Shape.of(trace ->
          trace
              .embed(Recorded.file(each -> each.input().name(), each -> each.input().sha256()))
              .term(Columns.EVENTS, each -> each.input().eventCount())
              .embed(Recorded.settings(each -> RecordingMaps.settings(each.input().opened())))
              .embed(Recorded.notes(each -> each.input().notes()))
              .embed(Recorded.inferences(each -> each.input().inferences())));

  private static final Shape<LeakAnalysis> ITERATIONS =
      Shape.of(iterations ->
          iterations
              .count("count", "Number of iterations.", each -> each.iterations().count())
              .text(
                  "source",
                  "How they were detected: marker or period.",
                  each -> each.iterations().source().name().toLowerCase(Locale.ROOT))
              .text("name", "What starts an iteration.", each -> each.iterations().name())
              .count("warm_up", "Warm-up iterations that are ignored.", LeakAnalysis::warmUp));

  private static final Shape<Trend> TREND =
      Shape.of(trend ->
          trend
              .count("first_iteration", "First iteration considered.", Trend::first)
              .number("bytes_per_iteration", "Slope, in bytes.", Trend::slope)
              .number("lower", "Lower end of its interval.", Trend::lower)
              .number("upper", "Upper end of its interval.", Trend::upper)
              .number("confidence", "Confidence of the interval, at most 1.", Trend::confidence)
              .flag("grows", "Whether it grows with certainty.", Trend::grows)
              .flag("recovers", "Whether it returns to its earlier value.", Trend::comesBack)
              .count(
                  "flat_from_iteration",
                  "Iteration from which it is flat.",
                  each -> each.stopped() < 0 ? null : each.stopped())
              .missing("it is not flat"));

  private static final Shape<LeakAnalysis> TRENDS =
      Shape.of(trends ->
          trends
              .one(
                  "live_floor",
                  "Live memory at its minimum in an iteration.",
                  TREND,
                  LeakAnalysis::floor)
              .one(
                  "kept",
                  "Live memory older than one" + " iteration.",
                  TREND,
                  each -> each.kept().orElse(null))
              .missing("nothing is older")
              .one(
                  "reserved", "Reserved at the end of an iteration.", TREND, LeakAnalysis::reserved)
              .one(
                  "reserved_beyond_peak",
                  "Reserved beyond the highest live peak so far.",
                  TREND,
                  LeakAnalysis::excess));

  private static final Shape<Forecast> FORECAST =
      Shape.of(forecast ->
          forecast
              .term(Columns.CAPACITY_BYTES, Forecast::capacityBytes)
              .bytes("current_bytes", "Held at the last iteration.", Forecast::nowBytes)
              .count(
                  "full_at_iteration",
                  "Iteration at which the GPU is full.",
                  each -> orNull(each.expected()))
              .missing("it never fills up")
              .count("earliest", "Lower end of its interval.", each -> orNull(each.earliest()))
              .missing("there is none")
              .count("latest", "Upper end of its interval.", each -> orNull(each.latest()))
              .missing("there is none"));

  private static final Shape<Part> PART =
      Shape.of(part ->
          part.count("blocks", "blocks", "Blocks gained.", each -> each.group().blocks())
              .bytes("bytes", "bytes", "Bytes gained.", each -> each.group().bytes())
              .shown(
                  Unit.BYTES,
                  "per iteration",
                  "Bytes gained per iteration.",
                  each -> Math.round((double) each.group().bytes() / each.growth().span()))
              .shown(
                  Unit.RATIO,
                  "share",
                  "Fraction of the total growth.",
                  each ->
                      each.growth().bytes() <= 0
                          ? null
                          : (double) each.group().bytes() / each.growth().bytes())
              .count(
                  "iterations",
                  "from iterations",
                  "Iterations with surviving allocations.",
                  each -> each.group().iterations()));

  private static final Shape<Part> SIZE =
      Shape.<Part>of(
              part -> part.term(Columns.REQUESTED_BYTES, "requested", Part::key).worded(Part::size))
          .and(part -> part.embed(PART));

  private static final Shape<Part> RANGE =
      Shape.<Part>of(part ->
              part.bytes(
                      "requested_up_to_bytes",
                      "requested up to",
                      "Upper end of the size range.",
                      Part::key)
                  .worded(Part::size))
          .and(part -> part.embed(PART));

  private static final Shape<Part> STACK =
      PART.and(part ->
          part.text(
                  "stack",
                  "allocated at, innermost frame first",
                  "Innermost frames; empty if no stack was recorded.",
                  Part::stack)
              .worded(each -> each.key() == StackTable.NONE ? "(no stack)" : each.stack()));

  private static final Shape<LeaksAnswer> GROWTH =
      Shape.of(growth ->
          growth
              .count("from_iteration", "The first iteration.", each -> each.growth().from())
              .count("to_iteration", "The last iteration.", each -> each.growth().to())
              .bytes("bytes", "Growth of live memory in bytes.", each -> each.growth().bytes())
              .many("by_size", "By size.", SIZE, each -> each.parts(each.growth().bySize()))
              .many(
                  "by_size_range",
                  "By size range.",
                  RANGE,
                  each -> each.parts(each.growth().byRange()))
              .many("by_stack", "By stack.", STACK, LeaksAnswer::stacks));

  private static final List<Line> LINES =
      List.of(
          new Line("live_floor_bytes", "Minimum live bytes.", IterationSeries::floorBytes),
          new Line(
              "live_floor_requested_bytes",
              "The same, in requested bytes.",
              IterationSeries::floorRequestedBytes),
          new Line(
              "kept_bytes", "Live memory older than one iteration.", IterationSeries::keptBytes),
          new Line("live_peak_bytes", "Maximum live bytes.", IterationSeries::peakBytes),
          new Line(
              "reserved_bytes",
              "Reserved at the end of an iteration.",
              IterationSeries::reservedBytes),
          new Line(
              "reserved_beyond_peak_bytes",
              "Reserved beyond the highest live peak so far.",
              IterationSeries::excessBytes));

  private static final Shape<IterationSeries> SERIES =
      Shape.of(series ->
          LINES.forEach(line ->
              series.series(
                  Unit.BYTES,
                  line.key(),
                  line.explanation(),
                  each -> Arrays.stream(line.values().apply(each)).boxed().toList())));

  public static final Kind<LeaksAnswer> KIND =
      new Kind<>(
          "leaks",
          "leaks --json",
          "What `allocsim leaks --json` writes: trends of live and reserved memory over"
              + " iterations.",
          Shape.of(answer ->
              answer
                  .one("trace", "The trace.", TRACE, each -> each)
                  .term(Columns.DEVICE_INDEX, each -> each.input().device())
                  .term(Columns.TORCH_VERSION, each -> each.version().id())
                  .term(Columns.ADDRESSES, each -> each.addresses().toString())
                  .term(Columns.LEAK_VERDICT, each -> each.analysis().verdict().name())
                  .term(Columns.SENTENCE, each -> each.sentence().toString())
                  .one(
                      "iterations",
                      "How iterations were detected.",
                      ITERATIONS,
                      LeaksAnswer::analysis)
                  .one("trends", "Trends over the iterations.", TRENDS, LeaksAnswer::analysis)
                  .one(
                      "forecast",
                      "When live memory fills the GPU.",
                      FORECAST,
                      LeaksAnswer::forecast)
                  .missing(NO_GROWTH)
                  .one(
                      "reserved_forecast",
                      "When reserved memory fills the GPU.",
                      FORECAST,
                      LeaksAnswer::pressure)
                  .missing(NO_GROWTH)
                  .one("growth", "What grew between two iterations.", GROWTH, each -> each)
                  .one(
                      "series",
                      "One value per iteration.",
                      SERIES,
                      each -> each.analysis().series())));

  /** One figure of every iteration. */
  private record Line(String key, String explanation, Function<IterationSeries, long[]> values) {}

  /** A line of the trends: a series, and what it does. */
  private record Row(String name, long[] series, Trend trend) {}

  /** What of the growth has one size, range of sizes or stack. */
  private record Part(Growth.Group group, Growth growth, @Nullable String stack) {
    private long key() {
      return group.key();
    }

    /** Whole KiB, MiB and so on in short, everything else to the byte. */
    private String size() {
      String text = ByteFormat.human(key());
      return key() % 1024 == 0 && text.contains(".00 ") ? text : Numbers.count(key()) + " B";
    }
  }

  /** The same, with its chart where one is wanted. */
  public Document<LeaksAnswer> document(boolean isDrawn) {
    List<Block> blocks = new ArrayList<>(List.of(facts()));
    if (isDrawn) {
      blocks.add(
          PageChart.of(
              headline().toString(),
              ChartSize.screen(LeakTrendChart.WIDTH, LeakTrendChart.HEIGHT),
              ChartSize.screen(LeakTrendChart.NARROW_WIDTH, LeakTrendChart.HEIGHT),
              (theme, width) -> chart(theme, false)));
    }
    blocks.add(trends());
    if (analysis.verdict() == LeakVerdict.LEAK) {
      addGrowth(blocks);
    }
    blocks.add(Recorded.inferred(input.inferences()));
    blocks.add(Notes.of("notes", input.notes()));
    Sentence sentence = Sentence.of("{}: {}.", analysis.verdict(), sentence());
    Tone tone = analysis.verdict().isHarmful() ? Tone.BAD : Tone.GOOD;
    return new Document<>(
        KIND,
        String.valueOf(Path.of(input.name()).getFileName()),
        new Verdict(tone, sentence),
        List.of(new Section(null, blocks)),
        everyIteration(),
        this);
  }

  private Facts facts() {
    int warmUp = analysis.warmUp();
    return Facts.none()
        .and(
            "trace",
            "{}: {} of device {}",
            input.name(),
            count(input.eventCount(), "event"),
            input.device())
        .and(
            "iterations",
            "{} by {}; {}",
            analysis.iterations().count(),
            source(),
            switch (warmUp) {
              case 0 -> "no warm-up";
              case 1 -> "iteration 0 ignored as warm-up";
              default -> "iterations 0 to " + (warmUp - 1) + " ignored as warm-up";
            });
  }

  private Table<Row> trends() {
    int first = analysis.warmUp();
    IterationSeries series = analysis.series();
    int last = series.count() - 1;
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("minimum live", series.floorBytes(), analysis.floor()));
    analysis
        .kept()
        .ifPresent(
            kept -> rows.add(new Row("  older than one iteration", series.keptBytes(), kept)));
    rows.add(new Row("reserved at the end", series.reservedBytes(), analysis.reserved()));
    rows.add(new Row("  beyond the highest peak", series.excessBytes(), analysis.excess()));
    Shape<Row> shape =
        Shape.of(row ->
            row.shown(Unit.TEXT, "", "Its name.", Row::name)
                .shown(
                    Unit.BYTES,
                    "in iteration " + first,
                    "Before the growth.",
                    each -> each.trend().first() == first ? each.series()[first] : null)
                .shown(
                    Unit.BYTES, "in iteration " + last, "At the end.", each -> each.series()[last])
                .shown(
                    Unit.BYTES,
                    "per iteration",
                    "Slope (median over all pairs of iterations).",
                    each -> Math.round(each.trend().slope()))
                .shown(
                    Unit.BYTES,
                    "at least",
                    "Lower end of the slope's interval.",
                    each -> Math.round(each.trend().lower()))
                .shown(
                    Unit.BYTES,
                    "at most",
                    "Upper end of the slope's interval.",
                    each -> Math.round(each.trend().upper()))
                .shown(Unit.TEXT, "trend", "Its trend.", each -> word(each.trend())));
    return Table.of("Trends", shape, rows);
  }

  private static String word(Trend trend) {
    if (trend.grows()) {
      return "grows";
    }
    if (trend.rises()) {
      return "flat since " + trend.stopped();
    }
    return trend.upper() < 0 ? "falls" : trend.comesBack() && trend.lower() > 0 ? "returns" : "-";
  }

  private void addGrowth(List<Block> blocks) {
    Growth growth = growth();
    blocks.add(
        new Notes(
            null,
            List.of(
                Sentence.of(
                    "Between iterations {} and {} live memory grew by {}:",
                    growth.from(),
                    growth.to(),
                    exactBytes(growth.bytes())))));
    blocks.add(
        fewExplain()
            ? top("size", SIZE, parts(growth.bySize()))
            : top("size", RANGE, parts(growth.byRange())));
    if (growth.byStack().stream().allMatch(group -> group.key() == StackTable.NONE)) {
      blocks.add(
          Notes.of(
              null,
              List.of(
                  "The recording has no stacks; record with"
                      + " _record_memory_history(stacks=\"python\") to see which lines leak.")));
    } else {
      blocks.add(top("stack", STACK, stacks()));
    }
  }

  /** Whether the largest few exact sizes explain half of the growth. */
  private boolean fewExplain() {
    long bytes =
        growth().bySize().stream().limit(ROWS).mapToLong(group -> Math.max(0, group.bytes())).sum();
    return 2 * bytes >= growth().bytes();
  }

  private Growth growth() {
    return analysis.growth();
  }

  private List<Part> parts(List<Growth.Group> groups) {
    return groups.stream().map(group -> new Part(group, growth(), null)).toList();
  }

  private List<Part> stacks() {
    StackLabels labels = new StackLabels(input.trace().stacks(), StackLabels.DEFAULT_FRAMES);
    return growth().byStack().stream()
        .map(group -> new Part(group, growth(), labels.label((int) group.key())))
        .toList();
  }

  private static Table<Part> top(String noun, Shape<Part> shape, List<Part> parts) {
    long bytes = parts.stream().skip(ROWS).mapToLong(part -> part.group().bytes()).sum();
    String others = "together " + ByteFormat.human(bytes) + "; --json FILE has all";
    return Table.of("Growth by " + noun, shape, parts).first(ROWS, new Table.More(noun, others));
  }

  private Table<Integer> everyIteration() {
    Shape<Integer> shape =
        Shape.of(row -> {
          row.count("iteration", "Number of the iteration, from 0.", each -> each);
          LINES.forEach(line -> {
            long[] values = line.values().apply(analysis.series());
            row.bytes(line.key(), line.explanation(), each -> values[each]);
          });
        });
    return Table.of(
        "Iterations", shape, IntStream.range(0, analysis.series().count()).boxed().toList());
  }

  private @Nullable Forecast forecast() {
    return analysis.forecast(capacityBytes).orElse(null);
  }

  private @Nullable Forecast pressure() {
    return analysis.pressure(capacityBytes).orElse(null);
  }

  private static @Nullable Long orNull(long iteration) {
    return iteration == Forecast.NEVER ? null : iteration;
  }

  /** What memory does, without the verdict. */
  private Sentence sentence() {
    Sentence sentence =
        switch (analysis.verdict()) {
          case LEAK -> Sentence.of("{}{}", headline(), interval(analysis.deciding()));
          case FRAGMENTATION ->
              Sentence.of(
                  "{}{}; live memory does not grow", headline(), interval(analysis.reserved()));
          case PLATEAU, NONE -> headline();
        };
    Forecast forecast = forecast();
    return forecast == null ? sentence : Sentence.of("{}; {}", sentence, full(forecast));
  }

  /** The short form, for a title. */
  private Sentence headline() {
    return switch (analysis.verdict()) {
      case LEAK ->
          Sentence.of("live memory grows by {} per iteration", slope(analysis.deciding().slope()));
      case FRAGMENTATION ->
          Sentence.of(
              "reserved memory grows by {} per iteration", slope(analysis.reserved().slope()));
      case PLATEAU -> plateau();
      case NONE -> Sentence.of("neither live nor reserved memory grows{}", afterWarmUp());
    };
  }

  private String afterWarmUp() {
    return analysis.warmUp() == 0 ? "" : " after warm-up";
  }

  private Sentence plateau() {
    if (analysis.floor().rises()) {
      return Sentence.of(
          "live memory grew but has been flat since iteration {}", analysis.floor().stopped());
    }
    int record = analysis.lastReservedRecord();
    long[] reserved = analysis.series().reservedBytes();
    return Sentence.of(
        "reserved memory grew by {}{}, last in iteration {}{}; live memory does not grow",
        ByteFormat.human(reserved[record] - reserved[analysis.warmUp()]),
        afterWarmUp(),
        count(record),
        analysis.recordsNeedLargerPeaks() ? ", only when a step's live peak rose too" : "");
  }

  private Sentence full(Forecast forecast) {
    String gpu = "a GPU with " + ByteFormat.human(capacityBytes) + " for the allocator";
    if (forecast.nowBytes() >= capacityBytes) {
      return Sentence.of("{} is already too small", gpu);
    }
    Forecast pressure = pressure();
    String reserved =
        pressure == null || pressure.expected() >= forecast.expected()
            ? ""
            : pressure.nowBytes() >= capacityBytes
                ? " is all reserved already and"
                : " is all reserved at iteration " + when(pressure) + " and";
    return Sentence.of("{}{} is full at iteration {}", gpu, reserved, when(forecast));
  }

  private static String when(Forecast forecast) {
    String expected = iteration(forecast.expected());
    return forecast.earliest() == forecast.latest()
        ? expected
        : "%s (%s to %s)"
            .formatted(expected, iteration(forecast.earliest()), iteration(forecast.latest()));
  }

  private static String iteration(long iteration) {
    return iteration == Forecast.NEVER ? "2^63 or later" : Numbers.count(iteration);
  }

  /** The interval after a slope; nothing where its ends are the same size in words. */
  private static String interval(Trend trend) {
    String lower = slope(trend.lower());
    String upper = slope(trend.upper());
    return lower.equals(upper)
        ? ""
        : String.format(
            Locale.ROOT, ", %.1f %% interval %s to %s", 100 * trend.confidence(), lower, upper);
  }

  private static String slope(double bytes) {
    return ByteFormat.human(Math.round(bytes));
  }

  private String source() {
    Iterations iterations = analysis.iterations();
    return switch (iterations.source()) {
      case MARKER -> "marker " + iterations.name();
      case PERIOD -> "period: " + iterations.name();
    };
  }

  /** Live and reserved memory of every iteration, where wanted by event. */
  public JFreeChart chart(ChartTheme theme, boolean isByEvent) {
    IterationSeries series = analysis.series();
    Trend trend = analysis.floor();
    // A title is one line: what follows the first part of the finding goes below it.
    String finding = headline().toString();
    int comma = finding.length() > MAX_TITLE ? finding.indexOf(", ") : -1;
    String title = comma < 0 ? finding : finding.substring(0, comma);
    String rest = comma < 0 ? "" : finding.substring(comma + 2) + "; ";
    return LeakTrendChart.create(
        analysis.verdict() + ": " + title,
        rest
            + Path.of(input.name()).getFileName()
            + ", "
            + analysis.iterations().count()
            + " iterations by "
            + source(),
        new LeakTrendChart.Data(
            series.floorBytes(),
            series.peakBytes(),
            series.reservedBytes(),
            analysis.warmUp(),
            trend.slope(),
            trend.lower(),
            trend.upper(),
            trend.confidence(),
            isByEvent ? events() : null),
        theme);
  }

  /** Events of the device with which iterations begin, and after the last. */
  private double[] events() {
    int[] rows = analysis.iterations().boundaries();
    double[] events = new double[rows.length];
    long seen = 0;
    int next = 0;
    for (int row = 0; next < rows.length; row++) {
      while (next < rows.length && rows[next] == row) {
        events[next++] = seen;
      }
      if (row < input.trace().eventCount() && input.trace().device(row) == input.device()) {
        seen++;
      }
    }
    return events;
  }
}
