package org.allocsim.reports.chart.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What processes hold of one GPU over time, in stretches of equal length.
 *
 * @param names names of the processes
 * @param fixedBytes what each holds beside its allocator while it is there: context, libraries
 * @param heldBytes by stretch and process, contexts included
 * @param endSeconds where the last stretch ends; a number of rows where no trace has times
 * @param isTimed whether the traces have times
 * @param totalBytes memory of the GPU
 * @param failure what fails first; null where nothing does
 */
public record SharedMemoryData(
    List<String> names,
    List<Long> fixedBytes,
    long[][] heldBytes,
    double endSeconds,
    boolean isTimed,
    long totalBytes,
    @Nullable Failure failure) {
  /**
   * What fails first.
   *
   * @param process whose request it is
   * @param seconds when it comes
   * @param bytes what would be held had it been served
   */
  public record Failure(String process, double seconds, double bytes) {}

  /** Keeps its own copies. */
  public SharedMemoryData {
    names = List.copyOf(names);
    fixedBytes = List.copyOf(fixedBytes);
  }

  /** Contexts of all, then the allocators of the first processes, one process more each time. */
  List<TimelineData.Points> layers() {
    List<TimelineData.Points> layers = new ArrayList<>();
    for (int upTo = 0; upTo <= names.size(); upTo++) {
      double[] x = new double[2 * heldBytes.length];
      double[] y = new double[2 * heldBytes.length];
      for (int stretch = 0; stretch < heldBytes.length; stretch++) {
        double height = height(stretch, upTo);
        x[2 * stretch] = endSeconds * stretch / heldBytes.length;
        x[2 * stretch + 1] = endSeconds * (stretch + 1) / heldBytes.length;
        y[2 * stretch] = height;
        y[2 * stretch + 1] = height;
      }
      layers.add(new TimelineData.Points(x, y));
    }
    return layers;
  }

  private double height(int stretch, int upTo) {
    double height = 0;
    for (int process = 0; process < names.size(); process++) {
      long held = heldBytes[stretch][process];
      long fixed = Math.min(held, fixedBytes.get(process));
      height += fixed + (process < upTo ? held - fixed : 0);
    }
    return height;
  }

  /** The most that a process holds. */
  long peakBytes(int process) {
    long peak = 0;
    for (long[] stretch : heldBytes) {
      peak = Math.max(peak, stretch[process]);
    }
    return peak;
  }

  /** The highest of all that is drawn. */
  double topBytes() {
    return Math.max(totalBytes, failure == null ? 0 : failure.bytes());
  }
}
