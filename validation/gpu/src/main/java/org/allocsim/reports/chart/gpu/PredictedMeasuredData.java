package org.allocsim.reports.chart.gpu;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Pairs of a predicted and a measured value, in named series in the order of their first pair. */
public final class PredictedMeasuredData {
  /** Values that lie further apart than this factor want a logarithmic axis. */
  private static final double WIDE = 30;

  private final Map<String, Series> series = new LinkedHashMap<>();
  private double lowest = Double.POSITIVE_INFINITY;
  private double highest;
  private int oneSided;

  /** Pairs of one name. */
  static final class Series {
    private final String name;
    private final List<double[]> pairs = new ArrayList<>();

    private Series(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    int count() {
      return pairs.size();
    }

    double predicted(int pair) {
      return pairs.get(pair)[0];
    }

    double measured(int pair) {
      return pairs.get(pair)[1];
    }
  }

  /** Adds a pair; nothing is shown of one that is 0 on both sides. */
  public void add(String name, double predicted, double measured) {
    if (!(predicted >= 0 && measured >= 0)) {
      throw new IllegalArgumentException(
          "%s: %s and %s are not valid quantities".formatted(name, predicted, measured));
    }
    if (predicted == 0 && measured == 0) {
      return;
    }
    series.computeIfAbsent(name, Series::new).pairs.add(new double[] {predicted, measured});
    oneSided += predicted == 0 || measured == 0 ? 1 : 0;
    for (double value : new double[] {predicted, measured}) {
      lowest = value > 0 ? Math.min(lowest, value) : lowest;
      highest = Math.max(highest, value);
    }
  }

  /** All series. */
  List<Series> series() {
    return List.copyOf(series.values());
  }

  /** The lowest value above 0. */
  double lowest() {
    return lowest;
  }

  /** The highest value, 0 where there is none. */
  double greatest() {
    return highest;
  }

  /** Pairs with a 0 on one side. */
  int oneSided() {
    return oneSided;
  }

  /** Whether the values spread so far that only a logarithmic axis shows all of them. */
  boolean isWide() {
    return highest > WIDE * lowest;
  }
}
