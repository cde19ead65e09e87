package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Keys;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.validation.calibration.CalibrationResult;
import org.allocsim.validation.calibration.CallClass;
import org.allocsim.validation.calibration.CopyExperiment;
import org.allocsim.validation.calibration.Observations;
import org.allocsim.validation.calibration.Placement;
import org.allocsim.validation.calibration.RobustFit;
import org.allocsim.workloads.profile.ProfileFile;
import org.jspecify.annotations.Nullable;

/**
 * What {@code calibrate} found.
 *
 * @param result the same
 */
public record CalibrateAnswer(CalibrationResult result) {
  private static final String NOT_FOUND = "it was not found";
  private static final String UNKNOWN = "unknown";

  private static final Shape<Placement> PLACEMENT =
      Shape.of(found ->
          found
              .bytes("page_bytes", "Size of a page.", Placement::pageBytes)
              .bytes("alignment_bytes", "Alignment of addresses.", Placement::alignmentBytes)
              .bytes(
                  "largest_shared_bytes",
                  "Largest request that shares a page.",
                  each -> orNull(each.largestSharedBytes()))
              .missing(NOT_FOUND)
              .bytes(
                  "reservation_bytes",
                  "Granularity of address reservations.",
                  each -> orNull(each.reservationBytes()))
              .missing(NOT_FOUND)
              .count("arena_address", "Smallest block of two pages.", Placement::arenaAddress)
              .count(
                  "top_address", "End of the first reservation.", each -> orNull(each.topAddress()))
              .missing(NOT_FOUND)
              .count(
                  "range_address",
                  "First address of virtual memory reservations.",
                  each -> orNull(each.rangeAddress()))
              .missing(NOT_FOUND)
              .bytes(
                  "chunk_bytes",
                  "Granularity of the driver's pool.",
                  each -> orNull(each.chunkBytes()))
              .missing(NOT_FOUND)
              .bytes(
                  "unusable_bytes",
                  "Memory that a context cannot use.",
                  each -> orNull(each.unusableBytes()))
              .missing(NOT_FOUND));

  private static final Shape<RobustFit.Estimate> ESTIMATE =
      Shape.of(cost ->
          cost.number("value", "The estimate.", RobustFit.Estimate::value)
              .missing(NOT_FOUND)
              .number("low", "Lower end of its 95 % interval.", RobustFit.Estimate::low)
              .missing(NOT_FOUND)
              .number("high", "Upper end of its 95 % interval.", RobustFit.Estimate::high)
              .missing(NOT_FOUND));

  private static final Shape<Fit> FIT =
      Shape.of(fit ->
          fit.count("calls", "Calls that were fitted.", each -> each.fit().calls())
              .named(
                  ESTIMATE,
                  "parameters",
                  "Fitted costs in nanoseconds.",
                  "A fitted cost.",
                  Fit::estimates)
              .named(
                  Unit.NUMBER,
                  "relative_errors",
                  "Relative errors of the fit, by percentile of calls.",
                  "Relative error at this percentile of calls.",
                  each -> percentiles(each.fit()::errorPercentile, 5, 25, 50, 75, 95, 99))
              .number(
                  "modelled_over_measured",
                  "Sum of modelled times divided by the sum of measured times.",
                  each -> each.fit().ratio())
              .missing("no calls were measured"));

  private static final Shape<CopyExperiment.Result> COPIES =
      Shape.of(copies ->
          copies
              .rate(
                  "pinned_to_device_bytes_per_second",
                  null,
                  "From page-locked memory to the GPU.",
                  CopyExperiment.Result::pinnedToDevice)
              .rate(
                  "pinned_to_host_bytes_per_second",
                  null,
                  "From the GPU to page-locked memory.",
                  CopyExperiment.Result::pinnedToHost)
              .rate(
                  "pageable_to_device_bytes_per_second",
                  null,
                  "From pageable memory to the GPU.",
                  CopyExperiment.Result::pageableToDevice)
              .rate(
                  "pageable_to_host_bytes_per_second",
                  null,
                  "From the GPU to pageable memory.",
                  CopyExperiment.Result::pageableToHost)
              .nanos("copy_nanos", "Fixed cost of a copy.", CopyExperiment.Result::copyNanos)
              .nanos(
                  "launch_nanos",
                  "Host time of a kernel launch.",
                  CopyExperiment.Result::launchNanos)
              .nanos(
                  "pin_nanos",
                  "Fixed cost of pinning host memory.",
                  CopyExperiment.Result::pinNanos)
              .nanos(
                  "pin_mebibyte_nanos",
                  "Cost of pinning per MiB.",
                  CopyExperiment.Result::pinMebibyteNanos));

  public static final Kind<CalibrateAnswer> KIND =
      new Kind<>(
          "calibrate",
          "calibrate --json",
          "What `allocsim calibrate --json` writes: a measured GPU and how well the model fits it.",
          Shape.of(answer ->
              answer
                  .named(
                      Unit.ANY,
                      "profile",
                      "The profile.",
                      "A field of the profile.",
                      each -> ProfileFile.fields(each.result().profile()))
                  .one(
                      "placement",
                      "Memory layout constants found by probing.",
                      PLACEMENT,
                      each -> each.result().placement())
                  .count("rounds", "Rounds of measurements.", each -> each.result().rounds())
                  .named(
                      Unit.NUMBER,
                      "host_slowness",
                      "Slowdown of the host relative to its usual speed, by percentile.",
                      "Slowdown at this percentile.",
                      each ->
                          percentiles(each.result().observations()::slowness, 5, 25, 50, 75, 95))
                  .count(
                      "answers",
                      "Driver answers compared with the model.",
                      each -> each.result().observations().answers())
                  .count(
                      "differing_answers",
                      "Driver answers that differ from the model.",
                      each -> each.result().observations().otherAnswers())
                  .named(
                      FIT,
                      "fits",
                      "Fitted costs, by kind of call.",
                      "The fit of a kind of call.",
                      CalibrateAnswer::fits)
                  .one(
                      "copies",
                      "Speed of copies and launches.",
                      COPIES,
                      each -> each.result().copies())
                  .missing("none were made")
                  .texts(
                      "undetermined",
                      "Fields of the profile not determined by the measurements.",
                      each -> each.result().undetermined())));

  private static final Shape<Call> CALLS =
      Shape.of(call ->
          call.text("class", "Kind of call.", each -> each.of().name())
              .count("term1", "Variable that its time depends on.", each -> each.term(0))
              .missing("it has none")
              .count("term2", "The same.", each -> each.term(1))
              .missing("it has none")
              .count("term3", "The same.", each -> each.term(2))
              .missing("it has none")
              .term(
                  Columns.MEASURED_NANOS,
                  each -> Math.round(each.calls().measuredNanos(each.row())))
              .nanos(
                  "scaled_nanos",
                  "The same at the host's usual speed.",
                  each -> Math.round(each.calls().nanos(each.row()))));

  private static final Shape<Parameter> PARAMETERS =
      Shape.of(row ->
          row.shown(Unit.TEXT, "parameter", "A part of the time of calls.", Parameter::name)
              .shown(
                  Unit.COUNT,
                  "calls",
                  "Calls that were fitted.",
                  each -> each.number() == 0 ? each.fit().calls() : "")
              .shown(
                  Unit.NUMBER,
                  "value",
                  "The estimate in microseconds.",
                  each -> each.estimate().isKnown() ? micros(each.estimate().value()) : UNKNOWN)
              .shown(
                  Unit.NUMBER,
                  "95 % interval",
                  "Its interval in microseconds.",
                  each ->
                      each.estimate().isKnown()
                          ? micros(each.estimate().low()) + " .. " + micros(each.estimate().high())
                          : "")
              .shown(
                  Unit.RATIO,
                  "errors 5 to 95 %",
                  "Relative errors of the fit at these percentiles.",
                  each ->
                      each.isFirst()
                          ? "%+.0f .. %+.0f %%"
                              .formatted(
                                  100 * each.fit().errorPercentile(5),
                                  100 * each.fit().errorPercentile(95))
                          : "")
              .shown(
                  Unit.NUMBER,
                  "model/time",
                  "Sum of modelled times divided by the sum of measured times.",
                  each -> each.isFirst() ? (Object) each.fit().ratio() : ""));

  /** The fit of a kind of call. */
  private record Fit(CallClass of, RobustFit fit) {
    private Map<String, RobustFit.Estimate> estimates() {
      Map<String, RobustFit.Estimate> map = new LinkedHashMap<>();
      for (int i = 0; i < of.parameters().size(); i++) {
        map.put(of.parameters().get(i), fit.estimate(i));
      }
      return map;
    }
  }

  private record Parameter(CallClass of, int number, RobustFit fit) {
    private String name() {
      return of.parameters().get(number);
    }

    private RobustFit.Estimate estimate() {
      return fit.estimate(number);
    }

    /** Whether figures of all calls stand beside it. */
    private boolean isFirst() {
      return number == 0 && fit.calls() > 0;
    }
  }

  private record Call(CallClass of, Observations calls, int row) {
    private @Nullable Long term(int number) {
      return number < calls.terms() ? Math.round(calls.term(row, number)) : null;
    }
  }

  /** The answer; the rows that are written as CSV are all timed calls. */
  public Document<CalibrateAnswer> document() {
    List<Block> about = new ArrayList<>();
    about.add(
        new Notes(
            null,
            List.of(
                Sentence.of(
                    "profile {}: {}", result.profile().name(), result.profile().source()))));
    about.add(found("memory", placement()));
    List<Block> times = new ArrayList<>();
    times.add(
        Table.of(
            "Times of calls",
            PARAMETERS,
            Arrays.stream(CallClass.values())
                .flatMap(each ->
                    IntStream.range(0, each.parameters().size())
                        .mapToObj(i -> new Parameter(each, i, result.fit(each))))
                .toList()));
    if (result.copies() != null) {
      times.add(found("copies and launches", copies(result.copies())));
    }
    times.add(new Notes(null, sentences()));
    return new Document<>(
        KIND,
        result.profile().name(),
        null,
        List.of(new Section(null, about), new Section("times of calls in microseconds", times)),
        Table.of("Timed calls", CALLS, calls()),
        this);
  }

  private static Table<Map.Entry<String, String>> found(
      String heading, Map<String, String> figures) {
    return Table.of(
        heading,
        Shape.of(row ->
            row.shown(Unit.TEXT, heading, "What was probed.", Map.Entry::getKey)
                .shown(Unit.COUNT, "found", "Value found.", Map.Entry::getValue)),
        List.copyOf(figures.entrySet()));
  }

  private Map<String, String> placement() {
    Placement found = result.placement();
    Map<String, String> figures = new LinkedHashMap<>();
    figures.put("size", Numbers.bytes(result.profile().totalBytes()));
    figures.put("in use at the start (context, others)", bytes(result.profile().contextBytes()));
    figures.put("unusable", bytes(found.unusableBytes()));
    figures.put("page", bytes(found.pageBytes()));
    figures.put("granularity of small blocks", bytes(found.alignmentBytes()));
    figures.put("largest block that shares a page", bytes(found.largestSharedBytes()));
    figures.put("granularity of reservations", bytes(found.reservationBytes()));
    figures.put("smallest block of two pages", address(found.arenaAddress()));
    figures.put("end of the first reservation", address(found.topAddress()));
    figures.put("first address range", address(found.rangeAddress()));
    figures.put("granularity of the stream-ordered pool", bytes(found.chunkBytes()));
    return figures;
  }

  private static Map<String, String> copies(CopyExperiment.Result copies) {
    Map<String, String> figures = new LinkedHashMap<>();
    figures.put("pinned memory to device", rate(copies.pinnedToDevice()));
    figures.put("device to pinned memory", rate(copies.pinnedToHost()));
    figures.put("pageable memory to device", rate(copies.pageableToDevice()));
    figures.put("device to pageable memory", rate(copies.pageableToHost()));
    figures.put("small copy", Numbers.duration(copies.copyNanos()));
    figures.put("launch of a small fill", Numbers.duration(copies.launchNanos()));
    figures.put("pinning, fixed", Numbers.duration(copies.pinNanos()));
    figures.put("pinning, per MiB", Numbers.duration(copies.pinMebibyteNanos()));
    return figures;
  }

  private List<Sentence> sentences() {
    List<Sentence> sentences = new ArrayList<>();
    sentences.add(
        Sentence.of(
            "Over {} rounds the host took {} (5th percentile), {} (median) and {} (95th"
                + " percentile) times its usual time for the same work; all times are scaled to"
                + " the usual speed.",
            count(result.rounds()),
            "%.2f".formatted(result.observations().slowness(5)),
            "%.2f".formatted(result.observations().slowness(50)),
            "%.2f".formatted(result.observations().slowness(95))));
    sentences.add(
        Sentence.of(
            "The simulated device gave a different answer to {} of {} queries for free and"
                + " reserved bytes.",
            count(result.observations().otherAnswers()),
            count(result.observations().answers())));
    if (!result.undetermined().isEmpty()) {
      sentences.add(
          Sentence.of(
              "Not determined, kept from the starting profile: {}.",
              String.join(", ", result.undetermined())));
    }
    return sentences;
  }

  private List<Call> calls() {
    return Arrays.stream(CallClass.values()).flatMap(this::calls).toList();
  }

  private Stream<Call> calls(CallClass of) {
    Observations calls = result.observations().of(of);
    return IntStream.range(0, calls.count()).mapToObj(row -> new Call(of, calls, row));
  }

  private Map<String, Fit> fits() {
    Map<String, Fit> map = new LinkedHashMap<>();
    for (CallClass each : CallClass.values()) {
      map.put(Keys.of(each), new Fit(each, result.fit(each)));
    }
    return map;
  }

  /** Values at percentiles, those that are known. */
  private static Map<String, Double> percentiles(IntToDoubleFunction value, int... percents) {
    Map<String, Double> map = new LinkedHashMap<>();
    for (int percent : percents) {
      double found = value.applyAsDouble(percent);
      if (Double.isFinite(found)) {
        map.put("p" + percent, found);
      }
    }
    return map;
  }

  private static @Nullable Long orNull(long number) {
    return number < 0 ? null : number;
  }

  private static String bytes(long bytes) {
    return bytes < 0 ? UNKNOWN : Numbers.bytes(bytes);
  }

  private static String address(long address) {
    return address < 0 ? UNKNOWN : "0x" + Long.toHexString(address);
  }

  private static String rate(long bytesPerSecond) {
    return "%.2f GB/s".formatted(bytesPerSecond / 1e9);
  }

  private static String micros(double nanos) {
    // Rounded first, so that nothing is -0.00.
    return "%.2f".formatted(Math.round(nanos / 10) / 100.0);
  }
}
