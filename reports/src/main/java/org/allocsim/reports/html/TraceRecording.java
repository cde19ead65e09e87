package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;

/** One trace on a page, and the policies whose runs over it were recorded. */
public final class TraceRecording {
  private final String name;
  private final TraceColumns columns;
  private final List<Run> runs = new ArrayList<>();
  private Integer openRow;
  private Integer openOther;

  /**
   * A recording without runs.
   *
   * @param name how the page calls the trace
   * @param device index of the device whose requests were sent
   */
  public TraceRecording(String name, AllocationTrace trace, int device) {
    this.name = name;
    columns = new TraceColumns(trace, device);
  }

  /** A recorder for one run. */
  public PolicyRecorder recorder() {
    return new PolicyRecorder(columns);
  }

  /**
   * Adds a run, the most telling first.
   *
   * @param row place of its figures among the trace's results
   * @param label how the page calls it
   */
  public void add(int row, String label, PolicyRecording recording) {
    runs.add(new Run(row, label, recording));
  }

  /**
   * Says what the page shows first.
   *
   * @param row the run; unless told otherwise the first that was added
   * @param other a run that it is compared with, or null
   */
  public void opensWith(int row, Integer other) {
    openRow = row;
    openOther = other;
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

  TraceColumns columns() {
    return columns;
  }

  List<Run> runs() {
    return runs;
  }

  record Run(int row, String label, PolicyRecording recording) {}
}
