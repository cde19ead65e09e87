package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.reports.answer.job.CapacityJob.Finding;
import org.allocsim.reports.answer.job.CapacityJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.tuning.CapacityAnswer;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/** {@code min-capacity} of a job: the smallest device on which every rank runs. */
public final class CapacityJob extends JobView<CapacityAnswer, Row, Finding> {
  /** Rounds in which ranks may make the device larger for one another. */
  private static final int MAX_ROUNDS = 4;

  private static final String ON_NONE = "requests of a rank fail on every device";

  /** Opens a rank once more and replays it on given sizes. */
  @FunctionalInterface
  public interface Trials {
    /** The smallest size from the given one on that serves the rank, for each setting. */
    Map<Setting, Long> smallestFrom(Rank rank, Map<Setting, Long> bytes);
  }

  /**
   * An allocator with its settings.
   *
   * @param policy the allocator with its options
   * @param conf settings of PyTorch's allocator; null where it takes none
   */
  public record Setting(String policy, @Nullable String conf) {
    /** The setting of a search. */
    public static Setting of(CapacitySearch.Result result) {
      return new Setting(
          result.scenario().choice().label(),
          result.scenario().takesConf() ? result.config().text() : null);
    }

    String name() {
      return conf == null ? policy : Settings.name(conf);
    }
  }

  /**
   * What a rank needs under a setting.
   *
   * @param capacityBytes the smallest device, −1 where requests fail on every one
   * @param failingAboveBytes sizes above it on which a request fails all the same
   * @param enoughBytes a size that is certainly enough, as is everything above it
   * @param gpus known GPUs on which it runs
   */
  private record Need(
      long capacityBytes, List<Long> failingAboveBytes, long enoughBytes, Set<String> gpus) {
    private boolean isKnownToPass(long bytes) {
      return bytes == capacityBytes
          || bytes >= enoughBytes
          || bytes > capacityBytes
              && bytes <= capacityBytes + CapacitySearch.NEIGHBOURS * CapacitySearch.STEP_BYTES
              && !failingAboveBytes.contains(bytes);
    }
  }

  /** What a rank needs. */
  public static final class Row {
    private final int device;
    private final PyTorchVersion version;
    private final @Nullable String recordedConf;
    private final long neededBytes;
    private final SequencedMap<Setting, Need> needs = new LinkedHashMap<>();
    private final List<CapacityJob.Gpu> gpus;

    Row(CapacityAnswer answer) {
      device = answer.deviceIndex();
      version = answer.version();
      recordedConf = answer.recordedConf();
      neededBytes = answer.results().getFirst().demand().peakRequestedBytes();
      gpus =
          answer.results().getFirst().gpus().stream()
              .map(each ->
                  new CapacityJob.Gpu(each.profile().name(), each.profile().capacityBytes()))
              .toList();
      for (CapacitySearch.Result result : answer.results()) {
        Set<String> fits = new LinkedHashSet<>();
        result.gpus().stream()
            .filter(CapacitySearch.Gpu::fits)
            .forEach(each -> fits.add(each.profile().name()));
        needs.put(
            Setting.of(result),
            new Need(
                result.capacityBytes(),
                result.failingAboveBytes(),
                CapacitySearch.enoughBytes(result),
                fits));
      }
    }

    private Optional<Map.Entry<Setting, Need>> smallest() {
      return needs.entrySet().stream()
          .filter(each -> each.getValue().capacityBytes() >= 0)
          .min(Comparator.comparingLong(each -> each.getValue().capacityBytes()));
    }

    private @Nullable Long recordedBytes() {
      return needs.entrySet().stream()
          .filter(each -> each.getKey().conf() != null && each.getKey().conf().equals(recordedConf))
          .map(each -> each.getValue().capacityBytes())
          .filter(bytes -> bytes >= 0)
          .findFirst()
          .orElse(null);
    }
  }

  /**
   * A known GPU.
   *
   * @param name its name
   * @param capacityBytes what a program can have of it
   */
  private record Gpu(String name, long capacityBytes) {}

  /**
   * What a setting needs on every rank.
   *
   * @param setting the setting
   * @param capacityBytes the smallest device on which every rank runs, −1 where one runs on none
   * @param worst the rank that needs it
   * @param gpu the smallest known GPU on which every rank runs; null where there is none
   * @param isRecorded whether every rank was recorded so
   */
  private record Line(
      Setting setting, long capacityBytes, Rank worst, @Nullable String gpu, boolean isRecorded) {
    private boolean isFound() {
      return capacityBytes >= 0;
    }
  }

  /**
   * What the ranks come to.
   *
   * @param lines one for each setting that was tried on every rank
   */
  public record Finding(List<Line> lines) {}

  private static final Shape<Line> LINES =
      Shape.of(line ->
          line.term(Columns.POLICY, each -> each.setting().policy())
              .term(Columns.CONF, "setting", each -> each.setting().conf())
              .worded(each -> each.setting().name())
              .missing("the allocator has no settings")
              .bytes(
                  "capacity_bytes",
                  "smallest device",
                  "Memory of the smallest device on which every rank runs.",
                  each -> each.isFound() ? Long.valueOf(each.capacityBytes()) : null)
              .worded(each -> each.isFound() ? exactBytes(each.capacityBytes()).toString() : "none")
              .missing(ON_NONE)
              .text(
                  "worst_rank", "worst rank", "The rank that needs it.", each -> each.worst().id())
              .text(
                  "smallest_gpu",
                  "smallest GPU",
                  "The smallest known GPU on which every rank runs.",
                  Line::gpu)
              .missing("there is none")
              .texts(
                  "remarks",
                  "note",
                  "Whether every rank was recorded with them.",
                  each -> each.isRecorded() ? List.of("recorded") : List.of()));

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, each -> each.device)
              .term(Columns.PEAK_REQUESTED_BYTES, "requested at peak", each -> each.neededBytes)
              .rank(1)
              .term(Columns.RECORDED_CONF, "recorded setting", each -> each.recordedConf)
              .worded(each -> each.recordedConf == null ? "-" : Settings.name(each.recordedConf))
              .missing("they are unknown")
              .rank(2)
              .bytes(
                  "recorded_capacity_bytes",
                  "smallest device",
                  "Memory of the smallest device that runs it with these settings.",
                  Row::recordedBytes)
              .missing("there is none, or they were not tried")
              .text(
                  "best_conf",
                  "best for it alone",
                  "The setting or allocator that needs the smallest device.",
                  each -> each.smallest().map(best -> best.getKey().name()).orElse(null))
              .missing(ON_NONE)
              .bytes(
                  "best_capacity_bytes",
                  "its smallest device",
                  "Memory of that device.",
                  each -> each.smallest().map(best -> best.getValue().capacityBytes()).orElse(null))
              .missing(ON_NONE));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.many(
              "settings",
              "One entry for each allocator and setting that was tried on every rank.",
              LINES,
              Finding::lines));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("min-capacity", "the smallest device on which every rank runs", ROW, FINDING);

  private final Trials trials;

  /**
   * The question.
   *
   * @param trials replays a rank on sizes that another rank needs
   */
  public CapacityJob(Trials trials) {
    super(KIND, ROW);
    this.trials = trials;
  }

  @Override
  public Row keep(CapacityAnswer answer) {
    return new Row(answer);
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    SequencedMap<Setting, List<Ranked<Need>>> onAll = Ranked.onAll(ranks, each -> each.needs);
    Map<Setting, Long> sizes = new LinkedHashMap<>();
    onAll.forEach((setting, needs) -> {
      if (Ranked.where(needs, need -> need.capacityBytes() < 0).isEmpty()) {
        sizes.put(
            setting,
            needs.stream().mapToLong(each -> each.found().capacityBytes()).max().orElseThrow());
      }
    });
    settle(ranks, sizes);
    return new Finding(
        onAll.keySet().stream().map(setting -> line(ranks, setting, sizes.get(setting))).toList());
  }

  /**
   * Makes sizes larger until every rank runs on them: one that runs on a small device may fail on a
   * larger one.
   */
  private void settle(List<Ranked<Row>> ranks, Map<Setting, Long> sizes) {
    boolean isSettled = false;
    for (int round = 0; round < MAX_ROUNDS && !isSettled; round++) {
      isSettled = true;
      for (Ranked<Row> rank : ranks) {
        Map<Setting, Long> open = new LinkedHashMap<>();
        sizes.forEach((setting, bytes) -> {
          if (!need(rank, setting).isKnownToPass(bytes)) {
            open.put(setting, bytes);
          }
        });
        if (!open.isEmpty()) {
          Map<Setting, Long> larger = trials.smallestFrom(rank.rank(), open);
          isSettled &= larger.equals(open);
          sizes.putAll(larger);
        }
      }
    }
    if (!isSettled) {
      sizes.replaceAll((setting, bytes) ->
          Math.max(
              bytes,
              ranks.stream()
                  .mapToLong(each -> need(each, setting).enoughBytes())
                  .max()
                  .orElseThrow()));
    }
  }

  private static Need need(Ranked<Row> rank, Setting setting) {
    Need need = rank.found().needs.get(setting);
    if (need == null) {
      throw new IllegalArgumentException(rank.rank().label() + " was not tried: " + setting);
    }
    return need;
  }

  private static Line line(List<Ranked<Row>> ranks, Setting setting, @Nullable Long bytes) {
    Comparator<Ranked<Row>> byNeed =
        Comparator.comparing((Ranked<Row> each) -> need(each, setting).capacityBytes() >= 0)
            .thenComparingLong(each -> -need(each, setting).capacityBytes());
    return new Line(
        setting,
        bytes == null ? -1 : bytes,
        ranks.stream().min(byNeed).orElseThrow().rank(),
        ranks.getFirst().found().gpus.stream()
            .sorted(Comparator.comparingLong(Gpu::capacityBytes))
            .map(Gpu::name)
            .filter(
                gpu -> ranks.stream().allMatch(each -> need(each, setting).gpus().contains(gpu)))
            .findFirst()
            .orElse(null),
        setting.conf() != null
            && ranks.stream().allMatch(each -> setting.conf().equals(each.found().recordedConf)));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    List<Line> lines = answer.finding().lines();
    Ranked<Row> largest =
        answer.ranks().stream()
            .max(Comparator.comparingLong(each -> each.found().neededBytes))
            .orElseThrow();
    List<Sentence> details = new ArrayList<>();
    details.add(
        Sentence.of(
            "{} requests {} at its peak; the job cannot run with less free memory.",
            JobWords.begin(largest.rank()),
            exactBytes(largest.found().neededBytes)));
    lines.stream()
        .filter(each -> !each.isFound())
        .forEach(each ->
            details.add(
                Sentence.of(
                    "With {}, requests of {} fail on every device: the limit is too small.",
                    each.setting().name(),
                    each.worst().label())));
    Optional<Line> smallest =
        lines.stream().filter(Line::isFound).min(Comparator.comparingLong(Line::capacityBytes));
    if (smallest.isEmpty()) {
      return new Verdict(
          Tone.BAD,
          Sentence.of("The job fits no device with any setting tried on every rank."),
          details);
    }
    Line best = smallest.get();
    Optional<Line> recorded = lines.stream().filter(Line::isRecorded).findFirst();
    Sentence minimum =
        Sentence.of(
            "Every rank needs at most {} free, with {}{}",
            bytes(best.capacityBytes()),
            best.setting().name(),
            answer.ranks().size() == 1 ? "" : "; " + best.worst().label() + " needs it");
    boolean isBetter =
        recorded.isPresent()
            && (!recorded.get().isFound() || recorded.get().capacityBytes() > best.capacityBytes());
    return new Verdict(
        isBetter ? Tone.GOOD : Tone.NEUTRAL,
        !isBetter
            ? Sentence.of("{}.", minimum)
            : recorded.get().isFound()
                ? Sentence.of(
                    "{}; with the recorded settings, {}, it is {}.",
                    minimum,
                    recorded.get().setting().name(),
                    bytes(recorded.get().capacityBytes()))
                : Sentence.of("{}; with the recorded settings no device is large enough.", minimum),
        details,
        isBetter && best.setting().conf() != null
            ? Settings.paste(best.setting().conf(), answer.ranks().getFirst().found().version)
            : null);
  }

  @Override
  List<Block> blocks(JobAnswer<Row, Finding> answer) {
    return List.of(Table.of("Smallest devices for all ranks", LINES, answer.finding().lines()));
  }

  @Override
  boolean holds(Finding finding) {
    return finding.lines().stream().allMatch(Line::isFound);
  }
}
