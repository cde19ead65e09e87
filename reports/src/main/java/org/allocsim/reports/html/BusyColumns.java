package org.allocsim.reports.html;

import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.simulator.timing.BusyTimeline;
import org.allocsim.simulator.timing.TimeResult;

/** How busy the GPU was over simulated time, as the page reads it. */
final class BusyColumns {
  private BusyColumns() {}

  /** Whether a run in time shows what the GPU did. */
  static boolean isKnown(TimeResult time) {
    return time.compute().totalNanos() + time.toDevice().totalNanos() + time.toHost().totalNanos()
        > 0;
  }

  /** Each timeline: the width of its stretches, their number, the busy nanoseconds of each. */
  static byte[] encode(TimeResult time) {
    ColumnWriter out = new ColumnWriter();
    for (BusyTimeline busy : new BusyTimeline[] {time.compute(), time.toDevice(), time.toHost()}) {
      out.put(busy.widthNanos());
      out.put(busy.stretchCount());
      for (int stretch = 0; stretch < busy.stretchCount(); stretch++) {
        out.put(busy.busyNanos(stretch));
      }
    }
    return out.deflated();
  }

  /** What needs no columns, for JSON. */
  static Map<String, Object> about(TimeResult time) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("end_nanos", time.endNanos());
    map.put("compute_nanos", time.compute().totalNanos());
    map.put("to_device_nanos", time.toDevice().totalNanos());
    map.put("to_host_nanos", time.toHost().totalNanos());
    return map;
  }
}
