package org.allocsim.reports.answer.tuning;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.PageChart;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.chart.ChartSize;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.comparison.FrontierChart;
import org.allocsim.reports.chart.comparison.FrontierData;
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
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jfree.chart.JFreeChart;
import org.jspecify.annotations.Nullable;

/**
 * How large a device a program needs.
 *
 * @param file name of the trace as the user gave it
 * @param sha256 digest of the file's bytes, in hexadecimal; null for a program
 * @param format id of its format
 * @param deviceIndex index of the recorded device
 * @param version the release of PyTorch whose rules applied
 * @param policies labels of the allocators that were tried
 * @param fraction share of each device that the allocator may reserve; null without a limit
 * @param recordedConf settings that the program was recorded with; null where they are not known
 * @param results what was found for each allocator and setting, one at least
 * @param skipped why others could not be tried, a clause each
 * @param seconds wall time of the search
 */
public record CapacityAnswer(
    String file,
    @Nullable String sha256,
    String format,
    int deviceIndex,
    PyTorchVersion version,
    List<String> policies,
    @Nullable Double fraction,
    @Nullable String recordedConf,
    List<CapacitySearch.Result> results,
    List<String> skipped,
    double seconds) {
  private static final int MAX_SIZES = 8;

  private static final Shape<CapacityAnswer> TRACE =
      Shape.of(trace ->
          trace
              .embed(Recorded.file(CapacityAnswer::file, CapacityAnswer::sha256))
              .term(Columns.FORMAT, CapacityAnswer::format)
              .term(Columns.DEVICE_INDEX, CapacityAnswer::deviceIndex));

  private static final Shape<Gpu> GPUS = gpus("GPU");
  private static final Shape<Gpu> OTHERS = gpus("other GPU");

  public static final Kind<CapacityAnswer> KIND =
      new Kind<>(
          "min-capacity",
          "min-capacity --json",
          "What `allocsim min-capacity --json` writes: the smallest device on which a program"
              + " runs.",
          Shape.of(answer ->
              answer
                  .one("trace", "The recorded program.", TRACE, each -> each)
                  .texts("policies", "The allocators tried.", CapacityAnswer::policies)
                  .term(Columns.TORCH_VERSION, each -> each.version().id())
                  .ratio(
                      "memory_fraction_ratio",
                      "Fraction of each device that the allocator may reserve.",
                      CapacityAnswer::fraction)
                  .missing("no limit was given")
                  .bytes("step_bytes", "Resolution of the search.", _ -> CapacitySearch.STEP_BYTES)
                  .term(Columns.PEAK_REQUESTED_BYTES, CapacityAnswer::neededBytes)
                  .many(
                      "settings",
                      "One entry for each allocator and setting.",
                      rows("allocator"),
                      CapacityAnswer::rows)
                  .many("gpus", "Known GPUs, smallest first.", GPUS, CapacityAnswer::gpus)
                  .many(
                      "other_gpus",
                      "GPUs that are not named as the smallest: recent ones, those of AMD, and"
                          + " those that share the host's memory; smallest first.",
                      OTHERS,
                      CapacityAnswer::others)
                  .texts("skipped", "Why others were not tried.", CapacityAnswer::skipped)
                  .term(Columns.WALL_SECONDS_OF_SEARCH, CapacityAnswer::seconds)));

  private static Shape<Gpu> gpus(String heading) {
    return Shape.of(gpu ->
        gpu.text("name", heading, "Name of the device profile.", each -> each.profile().name())
            .term(
                Columns.CAPACITY_BYTES,
                "free for the program",
                each -> each.profile().capacityBytes())
            .texts(
                "large_enough_for",
                "large enough for",
                "Allocators and settings that run the program on it.",
                Gpu::fits)
            .worded(Gpu::words));
  }

  /** A row: what was found for an allocator and setting. */
  private static Shape<Row> rows(String heading) {
    return Shape.of(row ->
        row.text(
                "policy",
                heading,
                "The allocator with its options.",
                each -> each.result().scenario().choice().label())
            .worded(Row::name)
            .term(Columns.CONF, Row::conf)
            .missing("the allocator has no settings")
            .bytes(
                "capacity_bytes",
                "smallest device",
                "Memory of the smallest device.",
                each -> each.isFound() ? each.result().capacityBytes() : null)
            .worded(each ->
                each.isFound()
                    ? Sentence.of(
                        "{} ({})",
                        bytes(each.result().capacityBytes()),
                        mebibytes(each.result().capacityBytes()))
                    : "none")
            .missing("requests fail on every device")
            .series(
                Unit.BYTES,
                "failing_above_bytes",
                "Larger devices on which a request still fails.",
                each -> each.result().failingAboveBytes())
            .bytes(
                "peak_block_bytes",
                "blocks at peak",
                "Peak memory in blocks in use on an unlimited device.",
                each -> each.result().peakBlockBytes())
            .rank(1)
            .bytes(
                "reserved_if_ample_bytes",
                "reserved if ample",
                "Peak reserved memory on an unlimited device.",
                each -> each.result().ample().peakReservedBytes())
            .text(
                "smallest_gpu",
                "smallest GPU",
                "Smallest known GPU that is large enough.",
                each -> each.result().smallestGpu().map(gpu -> gpu.profile().name()).orElse(null))
            .missing("no known GPU is large enough")
            .texts(
                "gpus_that_fit",
                "All known GPUs that are large enough.",
                each ->
                    each.result().gpus().stream()
                        .filter(CapacitySearch.Gpu::fits)
                        .map(gpu -> gpu.profile().name())
                        .toList())
            .count("replays", "Replays run by the search.", each -> each.result().replays())
            .texts(
                "remarks",
                "note",
                "Whether the program was recorded with it.",
                each -> each.isRecorded() ? List.of("recorded") : List.of()));
  }

  /** The same, with its chart where one is wanted. */
  public Document<CapacityAnswer> document(boolean isDrawn) {
    List<Row> rows = rows();
    Table<Row> table =
        Table.of("Smallest devices", rows(isPyTorchOnly() ? "setting" : "allocator"), rows)
            .at("/settings");
    List<Block> blocks = new ArrayList<>(List.of(facts(), table));
    if (isDrawn) {
      FrontierData frontier = frontier();
      int height = FrontierChart.height(frontier);
      blocks.add(
          PageChart.of(
              finding(rows),
              ChartSize.screen(FrontierChart.WIDTH, height),
              ChartSize.screen(FrontierChart.NARROW_WIDTH, height),
              (theme, width) -> chart(frontier, theme, width)));
    }
    blocks.add(Table.of("Known GPUs", GPUS, gpus()));
    blocks.add(Table.of("Other GPUs", OTHERS, others()));
    blocks.add(new Notes(notes(rows)));
    return new Document<>(
        KIND,
        String.valueOf(Path.of(file).getFileName()),
        verdict(rows),
        List.of(new Section(null, blocks)),
        table,
        this);
  }

  /** Which allocators run the program on which devices; a telephone's width shows few of these. */
  public JFreeChart chart(FrontierData frontier, ChartTheme theme, int width) {
    boolean isNarrow = width == FrontierChart.NARROW_WIDTH;
    return FrontierChart.create(
        finding(rows()),
        Path.of(file).getFileName()
            + (isNarrow
                ? "; sizes at which the result changes; all are free memory for the program"
                : "; left: smallest sizes found, right: known GPUs; sizes are free memory for the"
                    + " program"),
        isNarrow ? frontier.steps(FrontierChart.NARROW_DEVICES) : frontier,
        theme,
        width);
  }

  /** The first part of the verdict, as a title. */
  private String finding(List<Row> rows) {
    return verdict(rows).sentence().toString().replaceAll("(?s);.*|[.]$", "");
  }

  private Facts facts() {
    Facts facts =
        Facts.none()
            .and("trace", "{}, device {}", file, deviceIndex)
            .and(policies.size() == 1 ? "policy" : "policies", "{}", String.join(", ", policies))
            .and("rules", "PyTorch {}", version.id());
    return fraction == null ? facts : facts.and("limit", "memory fraction {}", fraction);
  }

  private List<Sentence> notes(List<Row> rows) {
    List<Sentence> notes = new ArrayList<>();
    for (Row row : rows) {
      List<Long> failing = row.result().failingAboveBytes();
      if (!failing.isEmpty()) {
        notes.add(
            Sentence.of(
                "{}: a request still fails with {}; leave headroom.",
                row.name(),
                String.join(", ", failing.stream().map(CapacityAnswer::mebibytes).toList())));
      }
    }
    skipped.forEach(reason -> notes.add(Sentence.of("{}.", reason)));
    return notes;
  }

  private Verdict verdict(List<Row> rows) {
    Optional<Row> smallest =
        rows.stream()
            .filter(Row::isFound)
            .min(Comparator.comparingLong(row -> row.result().capacityBytes()));
    List<Sentence> details = new ArrayList<>();
    details.add(
        Sentence.of(
            "The program requests {} at its peak; it cannot run with less free memory.",
            exactBytes(neededBytes())));
    rows.stream()
        .filter(row -> !row.isFound())
        .forEach(row ->
            details.add(
                Sentence.of(
                    "With {}, requests fail on every device: the limit is too" + " small.",
                    row.name())));
    if (smallest.isEmpty()) {
      return new Verdict(
          Tone.BAD,
          Sentence.of("The program fits no device: the limit is too small on all of them."),
          details);
    }
    return verdict(smallest.get(), rows.stream().filter(Row::isRecorded).findFirst(), details);
  }

  private Verdict verdict(Row smallest, Optional<Row> recorded, List<Sentence> details) {
    long minBytes = smallest.result().capacityBytes();
    String conf = smallest.conf();
    boolean isBetter =
        recorded.isPresent()
            && (!recorded.get().isFound() || recorded.get().result().capacityBytes() > minBytes);
    Sentence minimum =
        Sentence.of(
            "The program needs a device with {} free, with {}", bytes(minBytes), smallest.name());
    if (!isBetter) {
      return new Verdict(Tone.NEUTRAL, Sentence.of("{}.", minimum), details);
    }
    Sentence now =
        recorded.get().isFound()
            ? Sentence.of(
                "the recorded settings, {}, need {}",
                recorded.get().name(),
                bytes(recorded.get().result().capacityBytes()))
            : Sentence.of(
                "with the recorded settings, {}, it fits no device", recorded.get().name());
    return new Verdict(
        Tone.GOOD,
        Sentence.of("{}; {}.", minimum, now),
        details,
        conf == null ? null : Settings.paste(conf, version));
  }

  private static String mebibytes(long bytes) {
    return Numbers.count(bytes >> 20) + " MiB";
  }

  private long neededBytes() {
    return results.getFirst().demand().peakRequestedBytes();
  }

  private boolean isPyTorchOnly() {
    return results.stream().allMatch(result -> result.scenario().takesConf());
  }

  private List<Row> rows() {
    boolean isPyTorchOnly = isPyTorchOnly();
    return results.stream().map(result -> new Row(result, recordedConf, isPyTorchOnly)).toList();
  }

  private record Row(
      CapacitySearch.Result result, @Nullable String recordedConf, boolean isPyTorchOnly) {
    private boolean isFound() {
      return result.capacityBytes() >= 0;
    }

    /** Settings; null where the allocator takes none. */
    private @Nullable String conf() {
      return result.scenario().takesConf() ? result.config().text() : null;
    }

    private boolean isRecorded() {
      return conf() != null && conf().equals(recordedConf);
    }

    private String name() {
      if (conf() == null) {
        return result.scenario().choice().label();
      }
      String name = Settings.name(conf());
      return isPyTorchOnly ? name : Program.PYTORCH + " " + name;
    }
  }

  /** What runs on a known GPU. */
  private record Gpu(DeviceProfile profile, List<String> fits, List<String> fails) {
    private String words() {
      return fails.isEmpty()
          ? "all"
          : fits.isEmpty()
              ? "none"
              : fails.size() < fits.size()
                  ? "all but " + String.join(", ", fails)
                  : String.join(", ", fits);
    }
  }

  private List<Gpu> gpus() {
    return gpus(CapacitySearch.Result::gpus);
  }

  private List<Gpu> others() {
    return gpus(CapacitySearch.Result::others);
  }

  private List<Gpu> gpus(Function<CapacitySearch.Result, List<CapacitySearch.Gpu>> known) {
    List<Gpu> gpus = new ArrayList<>();
    for (CapacitySearch.Gpu each : known.apply(results.getFirst())) {
      Gpu gpu = new Gpu(each.profile(), new ArrayList<>(), new ArrayList<>());
      for (Row row : rows()) {
        boolean fits = known.apply(row.result()).get(gpus.size()).fits();
        (fits ? gpu.fits() : gpu.fails()).add(row.name());
      }
      gpus.add(gpu);
    }
    return gpus;
  }

  /**
   * Which allocator runs the program on which device, for a chart: on the sizes that are the
   * smallest for one of them, where more than an allocator's own is taken to be enough unless a
   * replay failed, and on the known GPUs.
   */
  public FrontierData frontier() {
    long[] sizes =
        results.stream()
            .mapToLong(CapacitySearch.Result::capacityBytes)
            .filter(bytes -> bytes >= 0)
            .sorted()
            .distinct()
            .toArray();
    List<Long> shown = new ArrayList<>();
    int step = Math.max(1, (sizes.length + MAX_SIZES - 1) / MAX_SIZES);
    for (int i = sizes.length - 1; i >= 0; i -= step) {
      shown.addFirst(sizes[i]);
    }
    List<FrontierData.Column> columns = new ArrayList<>();
    shown.forEach(bytes -> columns.add(new FrontierData.Column("", bytes)));
    for (CapacitySearch.Gpu gpu : results.getFirst().gpus()) {
      columns.add(new FrontierData.Column(gpu.profile().name(), gpu.profile().capacityBytes()));
    }
    FrontierData data = new FrontierData(columns);
    for (Row row : rows()) {
      CapacitySearch.Result result = row.result();
      List<Boolean> fits = new ArrayList<>();
      for (long bytes : shown) {
        fits.add(
            row.isFound()
                && bytes >= result.capacityBytes()
                && !result.failingAboveBytes().contains(bytes));
      }
      result.gpus().forEach(gpu -> fits.add(gpu.fits()));
      data.add(row.name(), fits, result.capacityBytes());
    }
    return data;
  }
}
