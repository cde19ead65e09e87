package org.allocsim.reports.chart;
import org.jfree.chart.JFreeChart;
public final class LeakTrendChart {
  public static final int WIDTH = 1200;
  public static final int HEIGHT = 720;
  public record Line(int first, double slope, double lower, double upper) {}
  public record Data(long[] floorBytes, long[] keptBytes, long[] peakBytes, long[] reservedBytes, int warmUp, Line line) {}
  public static JFreeChart create(String title, String subtitle, Data data) { return null; }
}
