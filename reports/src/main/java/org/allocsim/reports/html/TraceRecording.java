package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/** One trace on a page, and the policies whose runs over it were recorded. */
public final class TraceRecording {
  private String name;
  private final int events;
  private final boolean hasManyStacks;

  /** What the allocations are for, made when it is first needed. */
  private final Supplier<Attribution> attribution;

  /** The requests; null once they are packed. */
  private @Nullable TraceColumns columns;

  private TraceColumns.@Nullable Encoded withShortStacks;
  private TraceColumns.@Nullable Encoded withLongStacks;
  private final List<Run> runs = new ArrayList<>();
  private @Nullable Integer openRow;
  private @Nullable Integer openOther;
  private @Nullable Integer recorded;
  private @Nullable Long maxBytes;
  private List<Integer> highlights = List.of();

  /**
   * A recording without runs.
   *
   * @param input the device whose requests were sent
   * @param attribution what its allocations are for, as the answer has it; asked for when the page
   *     is written
   */
  public TraceRecording(DeviceTrace input, Supplier<Attribution> attribution) {
    name = input.name();
    this.attribution = attribution;
    columns = new TraceColumns(input.trace(), input.device());
    events = columns.eventCount();
    hasManyStacks = columns.hasManyStacks();
  }

  /** The same where the answer has no rules of its own for what memory is for. */
  public TraceRecording(DeviceTrace input) {
    this(input, () -> Attribution.of(input, CategoryRules.NONE));
  }

  /**
   * Packs the requests as the page has them and lets go of the trace, so that a page of many traces
   * holds one of them at a time. No run can be recorded after.
   */
  public void pack() {
    if (columns != null) {
      Attribution known = attribution.get();
      withShortStacks = columns.encode(known, true);
      // One trace with many stacks makes those of all traces short.
      withLongStacks = hasManyStacks ? withShortStacks : columns.encode(known, false);
      columns = null;
    }
  }

  /** Calls the trace something else on the page. */
  public void rename(String pageName) {
    name = pageName;
  }

  /** A recorder for one run, with a timeline of its own. */
  public PolicyRecorder recorder() {
    return recorder(new MemoryTimeline(PolicyRecorder.BUCKETS));
  }

  /** A recorder for one run that follows memory over time anyway. */
  public PolicyRecorder recorder(MemoryTimeline timeline) {
    return new PolicyRecorder(Objects.requireNonNull(columns), timeline);
  }

  /**
   * Adds a run, the most relevant first.
   *
   * @param row place of its figures among the trace's results
   * @param label how the page calls it
   */
  public void add(int row, String label, PolicyRecording recording) {
    add(row, label, recording, null);
  }

  /** The same of a run in simulated time; {@code time} is null where it was none. */
  public void add(int row, String label, PolicyRecording recording, @Nullable TimeResult time) {
    runs.add(new Run(row, label, recording, time));
  }

  /**
   * Says what the page shows first.
   *
   * @param row the run; by default the first that was added
   * @param other a run that it is compared with, or null
   */
  public void opensWith(int row, @Nullable Integer other) {
    openRow = row;
    openOther = other;
  }

  /** What the allocators can have at most, where the results do not say it. */
  public void maxBytes(long bytes) {
    maxBytes = bytes;
  }

  /** That memory; null where it is not known. */
  @Nullable Long maxBytes() {
    return maxBytes;
  }

  /** Row of the run under the settings that the program was recorded with. */
  public void recorded(int row) {
    recorded = row;
  }

  /** That row; null where there is none. */
  @Nullable Integer recorded() {
    return recorded;
  }

  /** Rows of the runs that stand out in charts of all runs, the most relevant first. */
  public void highlight(List<Integer> rows) {
    highlights = List.copyOf(rows);
  }

  /** What stands out, for JSON. */
  List<Integer> highlights() {
    return highlights;
  }

  /** What the page shows first, for JSON. */
  Map<String, Object> opens() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("row", openRow == null ? runs.getFirst().row() : openRow);
    map.put("other", openOther);
    return map;
  }

  String name() {
    return name;
  }

  /** Requests of the device. */
  int eventCount() {
    return events;
  }

  /** Whether labels of stacks have to be short for the page to stay small. */
  boolean hasManyStacks() {
    return hasManyStacks;
  }

  /** As {@link TraceColumns#encode}. */
  TraceColumns.Encoded encode(boolean isShort) {
    return columns != null
        ? columns.encode(attribution.get(), isShort)
        : Objects.requireNonNull(isShort ? withShortStacks : withLongStacks);
  }

  List<Run> runs() {
    return runs;
  }

  record Run(int row, String label, PolicyRecording recording, @Nullable TimeResult time) {}
}
