package org.allocsim.reports.answer.tuning;

import static org.allocsim.reports.document.Quantity.bytes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.analysis.fit.ProgramFit;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;

/**
 * What a program needs at another batch or length.
 *
 * @param files names of the recordings as the user gave them
 * @param fit what was fitted to them
 * @param wanted batch or length that was asked for
 * @param rows what was predicted under each setting, the recorded one first
 * @param seconds wall time of the prediction
 */
public record FitAnswer(
    List<String> files, ProgramFit fit, double wanted, List<Row> rows, double seconds) {

  /** A recording. */
  private record Recorded(String file, double size) {
    private String label() {
      return file + " " + number(size);
    }
  }

  /**
   * A setting.
   *
   * @param scenario the settings, and the GPU
   * @param prediction peaks with ample memory
   * @param largest the largest size that fits the GPU; 0 for none, −1 where no limit was found
   * @param fits whether the size that was asked for fits the GPU
   */
  public record Row(
      Scenario scenario, ProgramFit.Prediction prediction, long largest, boolean fits) {
    /** Its configuration string. */
    public String conf() {
      return scenario.config().text();
    }

    private String name() {
      return Settings.name(conf());
    }
  }

  private static final Shape<Recorded> RUNS =
      Shape.of(run ->
          run.text("file", "recording", "The recording.", Recorded::file)
              .term(Columns.SIZE, "size", Recorded::size));

  private static final Shape<Row> ROWS =
      Shape.of(row ->
          row.term(Columns.CONF, "setting", Row::conf)
              .worded(Row::name)
              .bytes(
                  "peak_requested_bytes",
                  "requested",
                  "Predicted peak of requested memory.",
                  each -> each.prediction().result().peakRequestedBytes())
              .bytes(
                  "peak_allocated_bytes",
                  "allocates",
                  "Predicted peak of allocated memory.",
                  each -> each.prediction().result().peakAllocatedBytes())
              .rank(1)
              .term(
                  Columns.PEAK_RESERVED_PREDICTED,
                  "reserves",
                  each -> each.prediction().result().peakReservedBytes())
              .term(
                  Columns.LOW_RESERVED_BYTES,
                  "at least",
                  each -> each.prediction().lowReservedBytes())
              .term(
                  Columns.HIGH_RESERVED_BYTES,
                  "at most",
                  each -> each.prediction().highReservedBytes())
              .term(Columns.FITS, Row::fits)
              .term(
                  Columns.LARGEST_SIZE,
                  "largest that fits",
                  each -> each.largest() < 0 ? null : each.largest())
              .missing("no limit was found"));

  public static final Kind<FitAnswer> KIND =
      new Kind<>(
          "fit",
          "fit --json",
          "What `allocsim fit --json` writes: what a program needs at another batch size or"
              + " length.",
          Shape.of(answer ->
              answer
                  .many("runs", "The recordings used.", RUNS, FitAnswer::recorded)
                  .number("size", "Batch size or length to predict.", FitAnswer::wanted)
                  .ratio(
                      "shared_requests_ratio",
                      "Fraction of requests common to all recordings.",
                      each -> each.fit().sharedRatio())
                  .term(Columns.DEVICE, each -> each.scenario().device().name())
                  .term(Columns.CAPACITY_BYTES, each -> each.scenario().maxBytes())
                  .term(Columns.TORCH_VERSION, each -> each.scenario().version().id())
                  .many("settings", "One entry for each setting.", ROWS, FitAnswer::rows)
                  .seconds("wall_seconds", "Wall time of the prediction.", FitAnswer::seconds)));

  private List<Recorded> recorded() {
    return IntStream.range(0, files.size())
        .mapToObj(i -> new Recorded(files.get(i), fit.runs().get(i).value()))
        .toList();
  }

  private Scenario scenario() {
    return rows.getFirst().scenario();
  }

  public Document<FitAnswer> document() {
    Table<Row> table = Table.of("Settings", ROWS, rows).at("/settings");
    Facts facts =
        Facts.none()
            .and(
                "recordings",
                "{}",
                String.join(", ", recorded().stream().map(Recorded::label).toList()))
            .and("requests", "{} are in all of them", Numbers.percent(fit.sharedRatio()))
            .and(
                "device",
                "{}, {} for the program",
                scenario().device().name(),
                bytes(scenario().maxBytes()))
            .and("rules", "PyTorch {}", scenario().version().id());
    return new Document<>(
        KIND,
        String.valueOf(Path.of(files.getFirst()).getFileName()),
        verdict(),
        List.of(new Section(null, List.of(facts, table, Notes.of(null, notes())))),
        table,
        this);
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(
        "Sizes are fitted by lines or parabolas through the recordings; the request order is that"
            + " of the largest recording.");
    if (!fit.isProportional()) {
      notes.add("No request grows with --sizes; check that they match the recordings.");
    }
    return notes;
  }

  /** A batch or length in words. */
  public static String number(double value) {
    return value == Math.rint(value) ? Numbers.count((long) value) : String.valueOf(value);
  }

  private Verdict verdict() {
    Row recorded = rows.getFirst();
    Row best =
        rows.stream()
            .min(
                Comparator.comparingLong(
                    (Row row) -> row.prediction().result().peakReservedBytes()))
            .orElseThrow();
    List<Sentence> details = new ArrayList<>();
    details.add(largest(recorded));
    if (!best.equals(recorded)) {
      details.add(
          Sentence.of(
              "With {} it reserves {}.",
              best.name(),
              bytes(best.prediction().result().peakReservedBytes())));
      details.add(largest(best));
    }
    boolean helps = !recorded.fits() && best.fits();
    return new Verdict(
        recorded.fits() ? Tone.NEUTRAL : helps ? Tone.GOOD : Tone.BAD,
        Sentence.of(
            "At {} PyTorch reserves at most {} (interval {} to {}) with {}; {}.",
            number(wanted),
            bytes(recorded.prediction().result().peakReservedBytes()),
            bytes(recorded.prediction().lowReservedBytes()),
            bytes(recorded.prediction().highReservedBytes()),
            recorded.name(),
            recorded.fits()
                ? "every request succeeds"
                : helps ? "a request fails, but not with " + best.name() : "a request fails"),
        details,
        helps ? Settings.paste(best.conf(), best.scenario().version()) : null);
  }

  private Sentence largest(Row row) {
    Quantity memory = bytes(row.scenario().maxBytes());
    return row.largest() < 0
        ? Sentence.of("Every size tried fits {} with {}.", memory, row.name())
        : row.largest() == 0
            ? Sentence.of("Not even size 1 fits {} with {}.", memory, row.name())
            : Sentence.of(
                "The largest that fits {} with {} is {}.",
                memory,
                row.name(),
                Numbers.count(row.largest()));
  }
}
