package org.allocsim.reports.answer.tuning;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;
import static org.allocsim.reports.document.Unit.BYTES;
import static org.allocsim.reports.document.Unit.COUNT;
import static org.allocsim.reports.document.Unit.NUMBER;
import static org.allocsim.reports.document.Unit.RATIO;
import static org.allocsim.reports.document.Unit.TEXT;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.transform.Perturbation;
import org.jspecify.annotations.Nullable;

/**
 * How the changed copies of a program fared.
 *
 * @param file name of the trace as the user gave it
 * @param sha256 digest of the file's bytes, in hexadecimal; null for a program
 * @param deviceIndex index of the recorded device
 * @param perturbation how copies were changed
 * @param seed seed of the first copy
 * @param fragility what they came to
 * @param seconds wall time of all replays
 */
public record PerturbAnswer(
    String file,
    @Nullable String sha256,
    int deviceIndex,
    Perturbation perturbation,
    long seed,
    Fragility fragility,
    double seconds) {
  private static final String NO_CONF = "the allocator is not PyTorch's";

  private static final Shape<RunResult> RESULT =
      Shape.of(result ->
          result
              .term(Columns.PASSES, RunResult::passes)
              .embed(
                  FirstFailure.<RunResult>of(each -> each.firstFailure().orElse(null)),
                  each -> each)
              .term(Columns.PEAK_RESERVED_BYTES, RunResult::peakReservedBytes)
              .term(Columns.PEAK_ALLOCATED_BYTES, RunResult::peakAllocatedBytes));

  private static final Shape<Fragility.Copy> COPY =
      Shape.of(copy ->
          copy.count("seed", "Seed of the random changes.", Fragility.Copy::seed)
              .embed(RESULT, Fragility.Copy::result));

  public static final Kind<PerturbAnswer> KIND =
      new Kind<>(
          "perturb",
          "perturb --json",
          "What `allocsim perturb --json` writes: randomly changed copies of a program.",
          Shape.of(answer ->
              answer
                  .embed(Recorded.file(PerturbAnswer::file, PerturbAnswer::sha256))
                  .term(Columns.DEVICE_INDEX, PerturbAnswer::deviceIndex)
                  .term(Columns.POLICY, each -> each.scenario().choice().label())
                  .term(
                      Columns.TORCH_VERSION,
                      each -> each.takesConf() ? each.scenario().version().id() : null)
                  .missing(NO_CONF)
                  .term(
                      Columns.CONF,
                      each -> each.takesConf() ? each.scenario().config().text() : null)
                  .missing(NO_CONF)
                  .term(Columns.DEVICE, each -> each.scenario().device().name())
                  .term(Columns.CAPACITY_BYTES, each -> each.scenario().device().capacityBytes())
                  .term(
                      Columns.LIMIT_BYTES, each -> each.limitBytes() < 0 ? null : each.limitBytes())
                  .missing("there is none")
                  .flag(
                      "swap_adjacent",
                      "Whether adjacent requests were swapped.",
                      each -> each.perturbation.swapsNeighbours())
                  .ratio(
                      "resize_ratio",
                      "Maximum relative size change.",
                      each -> each.perturbation.resizeShare())
                  .text(
                      "resize_each",
                      "What gets its own random factor: each size or each request.",
                      each -> each.perturbation.resize().name().toLowerCase(Locale.ROOT))
                  .count("seed", "Seed of the first copy.", PerturbAnswer::seed)
                  .term(Columns.COPIES, PerturbAnswer::copies)
                  .term(Columns.FAILED_RUNS, each -> each.fragility.failures())
                  .ratio(
                      "failed_runs_ratio",
                      "Fraction of copies that ran out of memory.",
                      PerturbAnswer::failedShare)
                  .series(
                      NUMBER,
                      "failed_runs_ratio_interval",
                      "Lower and upper bound of its confidence interval.",
                      each -> List.of(each.interval().lower(), each.interval().upper()))
                  .number("confidence", "Confidence of the interval.", _ -> Fragility.CONFIDENCE)
                  .named(
                      BYTES,
                      "peak_reserved_bytes",
                      "Distribution of the copies' peaks of reserved memory.",
                      "Minimum (min), maximum (max), median or a percentile.",
                      each ->
                          each.peaks(
                              Map.of(
                                  "min", 0.0, "p5", 0.05, "median", 0.5, "p95", 0.95, "max", 1.0)))
                  .one(
                      "unchanged", "The unchanged program.", RESULT, each -> each.fragility.plain())
                  .one(
                      "worst",
                      "The copy that fails earliest, or the one with the highest peak if none"
                          + " fails.",
                      COPY,
                      each -> each.fragility.worst())
                  .many("copies", "The copies.", COPY, each -> each.fragility.runs())
                  .term(Columns.WALL_SECONDS, PerturbAnswer::seconds)));

  private Scenario scenario() {
    return fragility.scenario();
  }

  private boolean takesConf() {
    return scenario().takesConf();
  }

  private long limitBytes() {
    return scenario().limitBytes();
  }

  private int copies() {
    return fragility.runs().size();
  }

  private double failedShare() {
    return (double) fragility.failures() / copies();
  }

  private Fragility.Share interval() {
    return fragility.failureShare();
  }

  /** Peaks of reserved memory under the names of quantiles, in ascending order. */
  private Map<String, Long> peaks(Map<String, Double> quantiles) {
    Map<String, Long> peaks = new LinkedHashMap<>();
    quantiles.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(each -> peaks.put(each.getKey(), fragility.peakReservedBytes(each.getValue())));
    return peaks;
  }

  public Document<PerturbAnswer> document() {
    List<Map.Entry<String, Long>> rows = new ArrayList<>();
    rows.add(Map.entry("unchanged", fragility.plain().peakReservedBytes()));
    rows.addAll(
        peaks(
                Map.of(
                    "lowest", 0.0,
                    "5 % of copies at most", 0.05,
                    "half of copies at most", 0.5,
                    "95 % of copies at most", 0.95,
                    "highest", 1.0))
            .entrySet());
    Shape<Map.Entry<String, Long>> shape =
        Shape.of(row ->
            row.shown(TEXT, "peak of reserved memory", "Which copies.", Map.Entry::getKey)
                .shown(BYTES, "size", "Peak of reserved memory.", Map.Entry::getValue)
                .shown(COUNT, "bytes", "The same, exactly.", Map.Entry::getValue)
                .shown(
                    RATIO,
                    "vs unchanged",
                    "Change relative to the unchanged program.",
                    each -> change(each.getValue())));
    String note = "Copies that run out of memory count with their peak up to the failure.";
    return new Document<>(
        KIND,
        String.valueOf(Path.of(file).getFileName()),
        verdict(),
        List.of(
            new Section(
                null,
                List.of(
                    facts(),
                    Table.of("Peaks of reserved memory", shape, rows),
                    Notes.of(null, fragility.failures() > 0 ? List.of(note) : List.of())))),
        Table.of("Copies", COPY, fragility.runs()),
        this);
  }

  private String change(long bytes) {
    long plain = fragility.plain().peakReservedBytes();
    return plain == 0
        ? "-"
        : String.format(Locale.ROOT, "%+.2f %%", 100.0 * (bytes - plain) / plain);
  }

  private Facts facts() {
    return Facts.none()
        .and("trace", "{}: device {}", file, deviceIndex)
        .and(
            "policy",
            "{}{}",
            scenario().choice().label(),
            takesConf()
                ? Sentence.of(
                    " {}, PYTORCH_CUDA_ALLOC_CONF=\"{}\"",
                    scenario().version().id(),
                    scenario().config().text())
                : "")
        .and(
            "device",
            "{}, {} for the program, {}",
            scenario().device().name(),
            bytes(scenario().device().capacityBytes()),
            limitBytes() < 0 ? "no limit" : Sentence.of("limit {}", exactBytes(limitBytes())))
        .and("change", "{}", change());
  }

  private String change() {
    List<String> changes = new ArrayList<>();
    if (perturbation.swapsNeighbours()) {
      changes.add("neighbouring requests swapped at random");
    }
    if (perturbation.resizeShare() != 0) {
      changes.add(
          "each "
              + perturbation.resize().name().toLowerCase(Locale.ROOT)
              + " changed by up to "
              + Numbers.percent(perturbation.resizeShare())
              + " up or down");
    }
    return String.join(", ", changes);
  }

  private Verdict verdict() {
    RunResult worst = fragility.worst().result();
    return new Verdict(
        fragility.failures() == 0 ? Tone.GOOD : Tone.BAD,
        Sentence.of(
            "{} of {} randomly perturbed {} ({}; {} to {} of all such copies, with {} % confidence)"
                + " run out of memory; the unchanged program {}.",
            count(fragility.failures()),
            count(copies()),
            copies() == 1 ? "copy" : "copies",
            Numbers.percent(failedShare()),
            Numbers.percent(interval().lower()),
            Numbers.percent(interval().upper()),
            Math.round(100 * Fragility.CONFIDENCE),
            fragility.plain().passes() ? "passes" : "also does"),
        List.of(
            Sentence.of(
                "Worst seed {}: {}, with at most {} reserved.",
                fragility.worst().seed(),
                worst.passes() ? "it passes" : FirstFailure.fails(worst),
                bytes(worst.peakReservedBytes()))));
  }
}
