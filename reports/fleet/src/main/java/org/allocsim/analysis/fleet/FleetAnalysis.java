package org.allocsim.analysis.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.allocsim.analysis.fleet.sweep.RowCsv;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;

/**
 * What the rows of a sweep say of a fleet. Every run is held against the baseline: the same trace
 * on the same GPU under the settings that it was recorded with, or PyTorch's default where they are
 * not among the runs. Formats that keep no settings count as recorded with the default. A
 * <em>failure</em> is a baseline in which a request fails; a setting saves it where it serves every
 * request, and breaks a trace where only it fails.
 *
 * <p>Rows are read once; what is kept is a few numbers a run.
 */
public final class FleetAnalysis {
  /** What every run has. */
  private static final List<SweepColumn> FIGURES =
      List.of(
          SweepColumn.POLICY,
          SweepColumn.DEVICE,
          SweepColumn.CAPACITY_BYTES,
          SweepColumn.PEAK_REQUESTED_BYTES,
          SweepColumn.PEAK_RESERVED_BYTES,
          SweepColumn.DRIVER_NANOS);

  private static final long MAX_RANK = 9_999_999;

  private final Family family;
  private final Map<FleetChoice, ChoiceTally> tallies = new LinkedHashMap<>();
  private final Map<String, Map<FleetChoice, ChoiceTally>> families = new TreeMap<>();
  private final Map<FleetGpu, GpuTally> gpus = new TreeMap<>();
  private final List<TraceTally> traces = new ArrayList<>();
  private final Map<String, JobTally> jobs = new TreeMap<>();
  private final List<SweepRow> group = new ArrayList<>();
  private long unreadable;
  private long notRun;
  private long runs;
  private long tooLarge;

  private FleetAnalysis(Family family) {
    this.family = family;
  }

  /**
   * Reads the rows of a sweep.
   *
   * @throws IOException where they cannot be read
   */
  public static FleetAnalysis read(InputStream csv, Family family) throws IOException {
    FleetAnalysis analysis = new FleetAnalysis(family);
    RowCsv.read(csv, analysis::add);
    analysis.closeGroup();
    return analysis;
  }

  private void add(SweepRow row) {
    switch (row.text(SweepColumn.OUTCOME)) {
      case "unreadable" -> unreadable++;
      case "not_run" -> notRun++;
      default -> {
        if (!group.isEmpty()
            && !group.getFirst().text(SweepColumn.FILE).equals(row.text(SweepColumn.FILE))) {
          closeGroup();
        }
        requireFigures(row);
        runs++;
        group.add(row);
      }
    }
  }

  /**
   * A row of a run has what every run has.
   *
   * @throws IllegalArgumentException where it has not
   */
  private static void requireFigures(SweepRow row) {
    for (SweepColumn column : FIGURES) {
      if (row.get(column) == null) {
        throw new IllegalArgumentException("a run needs a value in " + column.label());
      }
    }
    for (SweepColumn column : SweepColumn.all()) {
      if (row.get(column) instanceof Long figure && figure < 0) {
        throw new IllegalArgumentException("its " + column.label() + " is negative");
      }
    }
    if (row.get(SweepColumn.JOB) != null) {
      if (row.get(SweepColumn.RANK) == null) {
        throw new IllegalArgumentException("a run of a job needs a value in rank");
      }
      if (row.number(SweepColumn.RANK) > MAX_RANK) {
        throw new IllegalArgumentException("its rank is larger than " + MAX_RANK);
      }
    }
  }

  /** All runs of a trace are there. */
  private void closeGroup() {
    if (group.isEmpty()) {
      return;
    }
    String file = group.getFirst().text(SweepColumn.FILE);
    long requestedBytes = 0;
    long demandBytes = 0;
    Map<FleetGpu, List<FleetRun>> byGpu = new TreeMap<>();
    for (SweepRow row : group) {
      requestedBytes = Math.max(requestedBytes, row.number(SweepColumn.PEAK_REQUESTED_BYTES));
      demandBytes = Math.max(demandBytes, demandBytes(row));
      byGpu.computeIfAbsent(FleetGpu.of(row), _ -> new ArrayList<>()).add(FleetRun.of(row));
    }
    TraceTally trace = new TraceTally(file, family.of(file, requestedBytes), demandBytes);
    byGpu.forEach(
        (gpu, runs) -> baseline(runs).ifPresent(baseline -> tally(trace, gpu, runs, baseline)));
    traces.add(trace);
    addRank(file, group.getFirst(), byGpu);
    group.clear();
  }

  private void addRank(String file, SweepRow row, Map<FleetGpu, List<FleetRun>> byGpu) {
    String job = row.text(SweepColumn.JOB);
    if (job != null) {
      jobs.computeIfAbsent(job, JobTally::new)
          .add(file, (int) row.number(SweepColumn.RANK), row.text(SweepColumn.HOST), byGpu);
    }
  }

  /** What the program asks for, whatever was served; rows of earlier versions lack it. */
  private static long demandBytes(SweepRow row) {
    return row.get(SweepColumn.DEMAND_BYTES) == null
        ? row.number(SweepColumn.PEAK_REQUESTED_BYTES)
        : row.number(SweepColumn.DEMAND_BYTES);
  }

  /** The run under recorded settings, else under PyTorch's default. */
  static Optional<FleetRun> baseline(List<FleetRun> runs) {
    return runs.stream()
        .filter(FleetRun::isRecordedConf)
        .findFirst()
        .or(() -> runs.stream().filter(FleetRun::isDefault).findFirst());
  }

  private void tally(TraceTally trace, FleetGpu gpu, List<FleetRun> runs, FleetRun baseline) {
    Map<FleetChoice, ChoiceTally> ofFamily =
        families.computeIfAbsent(trace.family(), _ -> new LinkedHashMap<>());
    for (FleetRun run : runs) {
      tallies.computeIfAbsent(run.choice(), _ -> new ChoiceTally()).add(run, baseline);
      ofFamily.computeIfAbsent(run.choice(), _ -> new ChoiceTally()).add(run, baseline);
    }
    long roomBytes = runs.stream().mapToLong(FleetRun::roomBytes).max().orElse(0);
    boolean isTooLarge = trace.demandBytes() > roomBytes;
    tooLarge += isTooLarge ? 1 : 0;
    gpus.computeIfAbsent(gpu, _ -> new GpuTally()).add(runs, baseline, isTooLarge);
    trace.add(gpu, runs, baseline);
  }

  /** Files that could not be read. */
  public long unreadable() {
    return unreadable;
  }

  /** Runs that could not be made. */
  public long notRun() {
    return notRun;
  }

  /** Runs that were made. */
  public long runs() {
    return runs;
  }

  /** Traces that were read. */
  public int traceCount() {
    return traces.size();
  }

  /** Failures: baselines in which a request fails, one for each trace and GPU. */
  public long failures() {
    return traces.stream().mapToLong(TraceTally::failures).sum();
  }

  /** Failures that no setting saves. */
  public long lost() {
    return traces.stream().mapToLong(TraceTally::lost).sum();
  }

  /** Those of them where the program asks for more at once than the GPU has. */
  public long tooLarge() {
    return tooLarge;
  }

  /**
   * All choices: what saves the most net of what it breaks first, then what saves the most memory.
   */
  public List<Map.Entry<FleetChoice, ChoiceTally>> choices() {
    return ranked(tallies);
  }

  private static List<Map.Entry<FleetChoice, ChoiceTally>> ranked(
      Map<FleetChoice, ChoiceTally> tallies) {
    Comparator<Map.Entry<FleetChoice, ChoiceTally>> order =
        Comparator.comparingLong(entry -> entry.getValue().broken() - entry.getValue().saved());
    return tallies.entrySet().stream()
        .sorted(
            order
                .thenComparingDouble(entry -> -entry.getValue().meanSaving())
                .thenComparing(entry -> entry.getKey().label()))
        .toList();
  }

  /** Families in the order of their names, each with its best setting. */
  public Map<String, Map.Entry<FleetChoice, ChoiceTally>> bestOfFamilies() {
    Map<String, Map.Entry<FleetChoice, ChoiceTally>> best = new TreeMap<>();
    families.forEach((name, choices) ->
        ranked(choices).stream()
            .filter(entry -> entry.getKey().isSetting())
            .findFirst()
            .ifPresent(entry -> best.put(name, entry)));
    return best;
  }

  public long tracesOf(String name) {
    return traces.stream().filter(trace -> trace.family().equals(name)).count();
  }

  public long failuresOf(String name) {
    return traces.stream()
        .filter(trace -> trace.family().equals(name))
        .mapToLong(TraceTally::failures)
        .sum();
  }

  /**
   * The setting under which a GPU serves the most traces; of equals, the one that is best on all
   * GPUs. None where no setting serves any.
   */
  public Optional<FleetChoice> bestSettingOn(GpuTally gpu) {
    // The first of equals.
    return choices().stream()
        .map(Map.Entry::getKey)
        .filter(choice -> choice.isSetting() && gpu.servedBy(choice) > 0)
        .max(Comparator.comparingLong(gpu::servedBy));
  }

  /**
   * The longest folder in which all traces lie, with a slash after it; empty where there is none.
   */
  public String commonFolder() {
    if (traces.isEmpty()) {
      return "";
    }
    String first = traces.getFirst().file();
    int length = first.lastIndexOf('/') + 1;
    for (TraceTally trace : traces) {
      while (!trace.file().startsWith(first.substring(0, length))) {
        length = first.lastIndexOf('/', length - 2) + 1;
      }
    }
    return first.substring(0, length);
  }

  /** GPUs, the smallest first. */
  public Map<FleetGpu, GpuTally> gpus() {
    return gpus;
  }

  /** Traces, the worst first: failures that no setting saves, then what a setting would save. */
  public List<TraceTally> worst() {
    return traces.stream()
        .sorted(
            Comparator.comparingInt((TraceTally trace) -> -trace.lost())
                .thenComparingLong(trace -> -trace.savedBytes())
                .thenComparing(TraceTally::file))
        .toList();
  }

  /**
   * Jobs with two ranks or more that were run, the worst first: those that are lost on most GPUs,
   * then the least even ones.
   */
  public List<JobTally> jobs() {
    return jobs.values().stream()
        .filter(job -> job.rankCount() > 1)
        .sorted(
            Comparator.comparingLong((JobTally job) -> -job.lost())
                .thenComparingLong(job -> -job.failures())
                .thenComparingDouble(job -> -job.balance().ratio())
                .thenComparing(JobTally::job))
        .toList();
  }

  /** What each trace's best setting saves, as a share of the baseline's peak. */
  public double[] bestSavings() {
    return traces.stream()
        .filter(trace -> trace.gpu() != null && trace.baselineBytes() > 0)
        .mapToDouble(trace -> (double) trace.savedBytes() / trace.baselineBytes())
        .sorted()
        .toArray();
  }
}
