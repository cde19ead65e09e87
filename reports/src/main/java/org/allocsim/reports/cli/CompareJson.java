package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.chart.Histogram;

/** Parts of the JSON of a comparison. */
final class CompareJson {
  private CompareJson() {}

  /** The bins of a distribution. */
  static List<Object> bins(Histogram histogram) {
    List<Object> bins = new ArrayList<>();
    for (int bin = 0; bin < histogram.counts().length; bin++) {
      Map<String, Object> map = new LinkedHashMap<>();
      long from = histogram.froms()[bin];
      map.put(histogram.unit().key(), from < 0 ? null : from);
      map.put("allocations", histogram.counts()[bin]);
      map.put("requested_bytes", histogram.bytes()[bin]);
      bins.add(map);
    }
    return bins;
  }
}
