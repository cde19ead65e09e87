package org.allocsim.reports.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.allocsim.reports.advice.Scenario;

/**
 * What the rows of a sweep say of a fleet. Every run is held against the baseline: the same trace
 * on the same card under the settings that it was recorded with, or PyTorch's default where they
 * are not among the runs. A <em>failure</em> is a baseline in which a request fails; a setting
 * saves it where it serves every request, and breaks a trace where only it fails.
 *
 * <p>Rows are read once; what is kept is a few numbers a run.
 */
public final class FleetAnalysis {
  private final Family family;
  private final Map<Choice, Tally> tallies = new LinkedHashMap<>();
  private final Map<String, Map<Choice, Tally>> families = new TreeMap<>();
  private final Map<Card, CardTally> cards = new TreeMap<>();
  private final List<TraceTally> traces = new ArrayList<>();
  private final List<SweepRow> group = new ArrayList<>();
  private long unreadable;
  private long notRun;
  private long runs;
  private long tooLarge;

  /**
   * An allocator under settings.
   *
   * @param policy its id
   * @param conf settings of policy pytorch
   * @param options other options
   */
  public record Choice(String policy, String conf, String options) {
    static Choice of(SweepRow row) {
      return new Choice(
          row.text(SweepColumn.POLICY), row.text(SweepColumn.CONF), row.text(SweepColumn.OPTIONS));
    }

    /** Whether it is a setting of PyTorch's allocator, which a program can be given. */
    public boolean isSetting() {
      return policy.equals(Scenario.PYTORCH);
    }

    /** As tables name it. */
    public String label() {
      if (isSetting()) {
        return (conf.isEmpty() ? "(default)" : conf) + (options.isEmpty() ? "" : ";" + options);
      }
      return options.isEmpty() ? policy : policy + "(" + options + ")";
    }
  }

  /**
   * A card.
   *
   * @param capacityBytes its free memory
   * @param device its profile
   * @param isLimited whether the allocator had a limit of its own
   */
  public record Card(long capacityBytes, String device, boolean isLimited)
      implements Comparable<Card> {
    private static final Comparator<Card> ORDER =
        Comparator.comparingLong(Card::capacityBytes)
            .thenComparing(Card::device)
            .thenComparing(Card::isLimited);

    @Override
    public int compareTo(Card other) {
      return ORDER.compare(this, other);
    }
  }

  /** How a choice compares with the baseline. */
  public static final class Tally {
    private long runs;
    private long ooms;
    private long saved;
    private long broken;
    private double driverNanos;
    private double baselineDriverNanos;
    private float[] savings = new float[8];
    private int savingCount;

    private void add(Run run, Run baseline) {
      runs++;
      ooms += run.oom ? 1 : 0;
      saved += baseline.oom && !run.oom ? 1 : 0;
      broken += !baseline.oom && run.oom ? 1 : 0;
      if (!run.oom && !baseline.oom) {
        driverNanos += run.driverNanos;
        baselineDriverNanos += baseline.driverNanos;
        if (savingCount == savings.length) {
          savings = Arrays.copyOf(savings, 2 * savingCount);
        }
        savings[savingCount++] = (float) saving(run, baseline);
      }
    }

    /** Runs beside a baseline. */
    public long runs() {
      return runs;
    }

    /** Those in which a request fails. */
    public long ooms() {
      return ooms;
    }

    /** Failures that it saves. */
    public long saved() {
      return saved;
    }

    /** Traces that fail only under it. */
    public long broken() {
      return broken;
    }

    /** Driver time over that of the baseline, where neither fails; not a number without any. */
    public double driverRatio() {
      return baselineDriverNanos == 0 ? Double.NaN : driverNanos / baselineDriverNanos;
    }

    /**
     * The saving of reserved memory, as a share of the baseline's peak, that so many of the runs in
     * which neither fails stay below; not a number where there are none.
     *
     * @param share from 0 to 1
     */
    public double savingQuantile(double share) {
      if (savingCount == 0) {
        return Double.NaN;
      }
      float[] sorted = Arrays.copyOf(savings, savingCount);
      Arrays.sort(sorted);
      return sorted[(int) Math.round(share * (savingCount - 1))];
    }

    private double meanSaving() {
      double sum = 0;
      for (int i = 0; i < savingCount; i++) {
        sum += savings[i];
      }
      return savingCount == 0 ? 0 : sum / savingCount;
    }
  }

  /** How many traces a card serves. */
  public static final class CardTally {
    private long traces;
    private long tooLarge;
    private long servedByBaseline;
    private long servedByAny;
    private long servedBySetting;
    private final Map<Choice, Long> served = new LinkedHashMap<>();

    /** Traces that were run on it beside a baseline. */
    public long traces() {
      return traces;
    }

    /** Traces that ask for more at once than it has: no allocator serves them. */
    public long tooLarge() {
      return tooLarge;
    }

    /** Traces that it serves under their recorded settings. */
    public long servedByBaseline() {
      return servedByBaseline;
    }

    /** Traces that it serves under at least one setting. */
    public long servedBySetting() {
      return servedBySetting;
    }

    /** Traces that it serves with at least one setting or allocator. */
    public long servedByAny() {
      return servedByAny;
    }

    /** Traces that it serves under a choice. */
    public long servedBy(Choice choice) {
      return served.getOrDefault(choice, 0L);
    }
  }

  /**
   * A trace on the card where a setting would change most.
   *
   * @param file its name
   * @param family its family
   * @param failures cards on which the baseline fails
   * @param lost those of them on which no setting saves it
   * @param peakRequestedBytes what the program asks for at its peak
   * @param card the card; null where the baseline fails on all
   * @param baselineBytes peak of reserved memory there
   * @param best the setting that reserves least there
   * @param bestBytes its peak of reserved memory
   */
  public record TraceTally(
      String file,
      String family,
      int failures,
      int lost,
      long peakRequestedBytes,
      Card card,
      long baselineBytes,
      Choice best,
      long bestBytes) {
    /** Reserved bytes that a setting would save; 0 where none does. */
    public long savedBytes() {
      return best == null ? 0 : baselineBytes - bestBytes;
    }
  }

  /** The figures of a run that count. */
  private record Run(Choice choice, boolean oom, long peakReservedBytes, long driverNanos) {
    static Run of(SweepRow row) {
      return new Run(
          Choice.of(row),
          row.is(SweepColumn.OOM),
          row.number(SweepColumn.PEAK_RESERVED_BYTES),
          row.number(SweepColumn.DRIVER_NANOS));
    }
  }

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

  /** Share of the baseline's peak that a run saves; negative where it needs more. */
  private static double saving(Run run, Run baseline) {
    return baseline.peakReservedBytes == 0
        ? 0
        : 1 - (double) run.peakReservedBytes / baseline.peakReservedBytes;
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
        runs++;
        group.add(row);
      }
    }
  }

  /** All runs of a trace are there. */
  private void closeGroup() {
    if (group.isEmpty()) {
      return;
    }
    String file = group.getFirst().text(SweepColumn.FILE);
    long requested = 0;
    Map<Card, List<SweepRow>> byCard = new TreeMap<>();
    for (SweepRow row : group) {
      requested = Math.max(requested, row.number(SweepColumn.PEAK_REQUESTED_BYTES));
      byCard.computeIfAbsent(card(row), _ -> new ArrayList<>()).add(row);
    }
    String name = family.of(file, requested);
    TraceTally trace = new TraceTally(file, name, 0, 0, requested, null, 0, null, 0);
    for (Map.Entry<Card, List<SweepRow>> entry : byCard.entrySet()) {
      Run baseline = baseline(entry.getValue());
      if (baseline != null) {
        trace = tally(trace, entry.getKey(), entry.getValue(), baseline);
      }
    }
    traces.add(trace);
    group.clear();
  }

  private static Card card(SweepRow row) {
    return new Card(
        row.number(SweepColumn.CAPACITY_BYTES),
        row.text(SweepColumn.DEVICE),
        row.get(SweepColumn.LIMIT_BYTES) != null);
  }

  private static Run baseline(List<SweepRow> rows) {
    return rows.stream()
        .filter(row -> row.is(SweepColumn.IS_RECORDED_CONF))
        .findFirst()
        .or(() ->
            rows.stream()
                .filter(row ->
                    row.text(SweepColumn.POLICY).equals(Scenario.PYTORCH)
                        && row.text(SweepColumn.CONF).isEmpty())
                .findFirst())
        .map(Run::of)
        .orElse(null);
  }

  private TraceTally tally(TraceTally trace, Card card, List<SweepRow> rows, Run baseline) {
    CardTally onCard = cards.computeIfAbsent(card, _ -> new CardTally());
    Map<Choice, Tally> ofFamily =
        families.computeIfAbsent(trace.family(), _ -> new LinkedHashMap<>());
    Run best = baseline;
    boolean bySetting = false;
    boolean byAny = false;
    for (SweepRow row : rows) {
      Run run = Run.of(row);
      tallies.computeIfAbsent(run.choice, _ -> new Tally()).add(run, baseline);
      ofFamily.computeIfAbsent(run.choice, _ -> new Tally()).add(run, baseline);
      if (!run.oom) {
        byAny = true;
        bySetting |= run.choice.isSetting();
        onCard.served.merge(run.choice, 1L, Long::sum);
        if (run.choice.isSetting() && run.peakReservedBytes < best.peakReservedBytes) {
          best = run;
        }
      }
    }
    onCard.traces++;
    if (trace.peakRequestedBytes() > room(card, rows)) {
      onCard.tooLarge++;
      tooLarge++;
    }
    onCard.servedByBaseline += baseline.oom ? 0 : 1;
    onCard.servedBySetting += bySetting ? 1 : 0;
    onCard.servedByAny += byAny ? 1 : 0;
    boolean isWorse =
        !baseline.oom
            && (trace.card() == null
                || baseline.peakReservedBytes - best.peakReservedBytes > trace.savedBytes());
    return new TraceTally(
        trace.file(),
        trace.family(),
        trace.failures() + (baseline.oom ? 1 : 0),
        trace.lost() + (bySetting ? 0 : 1),
        trace.peakRequestedBytes(),
        isWorse ? card : trace.card(),
        isWorse ? baseline.peakReservedBytes : trace.baselineBytes(),
        isWorse ? best.choice : trace.best(),
        isWorse ? best.peakReservedBytes : trace.bestBytes());
  }

  /** The most that an allocator could reserve on a card under the limits that it had there. */
  private static long room(Card card, List<SweepRow> rows) {
    long roomBytes = 0;
    for (SweepRow row : rows) {
      long limitBytes =
          row.get(SweepColumn.LIMIT_BYTES) == null
              ? card.capacityBytes()
              : row.number(SweepColumn.LIMIT_BYTES);
      roomBytes = Math.max(roomBytes, Math.min(card.capacityBytes(), limitBytes));
    }
    return roomBytes;
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

  /** Failures: baselines in which a request fails, one for each trace and card. */
  public long failures() {
    return traces.stream().mapToLong(TraceTally::failures).sum();
  }

  /** Failures that no setting saves. */
  public long lost() {
    return traces.stream().mapToLong(TraceTally::lost).sum();
  }

  /** Those of them where the program asks for more at once than the card has. */
  public long tooLarge() {
    return tooLarge;
  }

  /** All choices: what saves most net of what it breaks first, then what saves most memory. */
  public List<Map.Entry<Choice, Tally>> choices() {
    return ranked(tallies);
  }

  private static List<Map.Entry<Choice, Tally>> ranked(Map<Choice, Tally> tallies) {
    Comparator<Map.Entry<Choice, Tally>> order =
        Comparator.comparingLong(entry -> entry.getValue().broken - entry.getValue().saved);
    return tallies.entrySet().stream()
        .sorted(
            order
                .thenComparingDouble(entry -> -entry.getValue().meanSaving())
                .thenComparing(entry -> entry.getKey().label()))
        .toList();
  }

  /** Families in the order of their names, each with its best setting. */
  public Map<String, Map.Entry<Choice, Tally>> bestOfFamilies() {
    Map<String, Map.Entry<Choice, Tally>> best = new TreeMap<>();
    families.forEach((name, choices) ->
        ranked(choices).stream()
            .filter(entry -> entry.getKey().isSetting())
            .findFirst()
            .ifPresent(entry -> best.put(name, entry)));
    return best;
  }

  /** Traces of a family. */
  public long tracesOf(String name) {
    return traces.stream().filter(trace -> trace.family().equals(name)).count();
  }

  /** Failures of a family. */
  public long failuresOf(String name) {
    return traces.stream()
        .filter(trace -> trace.family().equals(name))
        .mapToLong(TraceTally::failures)
        .sum();
  }

  /**
   * The setting under which a card serves most traces; of equals, the one that is best on all
   * cards. None where no setting serves any.
   */
  public Optional<Choice> bestSettingOn(CardTally card) {
    // The first of equals.
    return choices().stream()
        .map(Map.Entry::getKey)
        .filter(choice -> choice.isSetting() && card.servedBy(choice) > 0)
        .max(Comparator.comparingLong(card::servedBy));
  }

  /**
   * The longest folder in which all traces lie, with a slash behind it; empty where there is none.
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

  /** Cards, the smallest first. */
  public Map<Card, CardTally> cards() {
    return cards;
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

  /** What each trace's best setting saves, as a share of the baseline's peak. */
  public double[] bestSavings() {
    return traces.stream()
        .filter(trace -> trace.card() != null && trace.baselineBytes() > 0)
        .mapToDouble(trace -> (double) trace.savedBytes() / trace.baselineBytes())
        .sorted()
        .toArray();
  }
}
