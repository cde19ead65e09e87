package org.allocsim.workloads.transform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * How the sizes of a program's requests depend on a parameter of it, such as its batch or the
 * length of its sequences, from two runs or more that differ in the parameter.
 *
 * <p>A tensor's size is a constant part and shares of the parameter and of its square. The same
 * requests of all runs are found by {@link RunAlignment}; through their sizes goes a line or, where
 * the sizes leave it, a parabola. Sizes that are nearly proportional and on no line depend on data,
 * too; they stay proportional. Two sizes that grow faster than the parameter are taken for a square
 * and a proportional part. A request that one run alone has grows as those of its size do there,
 * else as the one before it.
 */
public final class SizeFit {
  /** Sizes this close to a line, relative to the largest, lie on it. */
  private static final double ON_LINE = 1e-3;

  /** Sizes that are so close to a line that padding explains it lie on it. */
  private static final long PADDING_BYTES = 4096;

  /** Requests that are smaller are rounded by more than {@link #SAME_GROWTH}. */
  private static final long MIN_TELLING_BYTES = 1 << 16;

  /** Growths that differ by no more, relative to the larger, are the same. */
  private static final double SAME_GROWTH = 0.01;

  /**
   * Sizes whose shares of the parameter differ by no more, relative to the smallest, are
   * proportional to it but for what the data decide, such as the tokens that go to an expert.
   */
  private static final double SCATTER = 0.2;

  /** Runs that have a smaller share of their requests in common are not of one program. */
  private static final double MIN_SHARED = 0.5;

  /** Scratch memory of an operation is given back before so many more requests or frees. */
  private static final int SCRATCH_ROWS = 4;

  private static final double NO_SHAPE = -1;

  /** Beyond it no allocator is asked. */
  private static final double MAX_BYTES = 1L << 60;

  private final List<Run> runs;

  /** By base run and other run: the other's requests by those of the base. */
  private final int[][][] pairs;

  private final RunAlignment.Requests[] requests;

  /**
   * A run.
   *
   * @param trace its requests
   * @param device device whose requests count, {@link #ALL_DEVICES} for all
   * @param value value of the parameter, above 0
   */
  public record Run(AllocationTrace trace, int device, double value) {
    /** The requests of all devices count. */
    public static final int ALL_DEVICES = -1;
  }

  /**
   * How requests grow whose sizes a library seems to choose: what is given back at once and is
   * neither constant nor a share of the parameter, and what the run alone asks for.
   */
  public enum Scratch {
    /** On a line or a parabola, as all other sizes do. */
    FITTED,
    /** Not at all beyond the nearest run. */
    KEPT,
    /** As the parameter does, from the nearest run on. */
    PROPORTIONAL
  }

  private SizeFit(List<Run> runs) {
    this.runs = List.copyOf(runs);
    int count = runs.size();
    requests = new RunAlignment.Requests[count];
    pairs = new int[count][count][];
    RunAlignment alignment = new RunAlignment();
    for (int i = 0; i < count; i++) {
      requests[i] = alignment.requests(runs.get(i).trace(), runs.get(i).device());
    }
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        pairs[i][j] = RunAlignment.pairs(requests[i].keys(), requests[j].keys());
        pairs[j][i] = inverse(pairs[i][j], requests[j].rows().length);
        requireOneProgram(pairs[i][j], requests[j].rows().length);
      }
    }
  }

  private static void requireOneProgram(int[] pairs, int others) {
    long shared = Arrays.stream(pairs).filter(pair -> pair >= 0).count();
    if (shared < MIN_SHARED * Math.max(pairs.length, others)) {
      throw new IllegalArgumentException(
          ("of %s and %s requests, %s are in both runs, so the runs do not differ only in batch"
                  + " size")
              .formatted(pairs.length, others, shared));
    }
  }

  private static int[] inverse(int[] pairs, int count) {
    int[] inverse = new int[count];
    Arrays.fill(inverse, -1);
    for (int i = 0; i < pairs.length; i++) {
      if (pairs[i] >= 0) {
        inverse[pairs[i]] = i;
      }
    }
    return inverse;
  }

  /**
   * Aligns runs.
   *
   * @param runs two or more
   * @throws IllegalArgumentException with a sentence where a value is none or two are equal, or the
   *     runs are not of one program
   */
  public static SizeFit of(List<Run> runs) {
    for (Run run : runs) {
      if (!(run.value() > 0) || Double.isInfinite(run.value())) {
        throw new IllegalArgumentException(
            "the parameter is " + run.value() + " in one run; give a number above 0");
      }
    }
    if (runs.size() < 2 || runs.stream().map(Run::value).distinct().count() < runs.size()) {
      throw new IllegalArgumentException("give two or more runs with different parameter values");
    }
    return new SizeFit(runs);
  }

  /** The runs. */
  public List<Run> runs() {
    return runs;
  }

  /**
   * Whether some request of the first run grows as the parameter does, within a hundredth. A
   * program has such requests, its inputs at least; none is a sign of wrong values.
   */
  public boolean isProportional() {
    int[] rows = requests[0].rows();
    for (int other = 1; other < runs.size(); other++) {
      double ratio = runs.get(other).value() / runs.getFirst().value();
      for (int i = 0; i < rows.length; i++) {
        int same = pairs[0][other][i];
        double bytes = ratio * runs.getFirst().trace().bytes(rows[i]);
        if (same >= 0
            && bytes >= MIN_TELLING_BYTES
            && Math.abs(bytes - runs.get(other).trace().bytes(requests[other].rows()[same]))
                <= SAME_GROWTH * bytes) {
          return true;
        }
      }
    }
    return false;
  }

  /** Share of a run's requests that all other runs have too. */
  public double sharedRatio(int base) {
    int shared = 0;
    int count = requests[base].rows().length;
    for (int i = 0; i < count; i++) {
      boolean inAll = true;
      for (int other = 0; other < runs.size(); other++) {
        inAll &= other == base || pairs[base][other][i] >= 0;
      }
      shared += inAll ? 1 : 0;
    }
    return count == 0 ? 1 : (double) shared / count;
  }

  /**
   * The program at another value of the parameter. Work and times stay as they are in the run.
   *
   * @param base index of the run whose requests and order are followed
   * @throws IllegalArgumentException with a sentence where a size would be none
   */
  public AllocationTrace at(double value, int base) {
    return at(value, base, Scratch.FITTED);
  }

  /** As {@link #at(double, int)}, with another growth of scratch memory. */
  public AllocationTrace at(double value, int base, Scratch scratch) {
    AllocationTrace trace = runs.get(base).trace();
    boolean[] isShort = scratch == Scratch.FITTED ? new boolean[0] : shortLived(trace);
    int[] rows = requests[base].rows();
    TraceCopy copy = new TraceCopy(trace);
    Map<Long, Double> growths = growths(value, base);
    double growth = 1;
    int next = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      long bytes = trace.bytes(row);
      if (next < rows.length && rows[next] == row) {
        double[][] points = points(base, next++);
        double sized =
            scratch != Scratch.FITTED
                    && (points[0].length == 1
                        || isShort[trace.allocation(row)] && isChosen(points[0], points[1]))
                ? scratchAt(points[0], points[1], value, scratch)
                : points[0].length == 1
                    ? bytes * growths.getOrDefault(bytes, growth)
                    : sizeAt(points[0], points[1], value);
        growth = bytes == 0 ? growth : sized / bytes;
        bytes = whole(sized, value);
      }
      copy.row(row, bytes, trace.timeNanos(row));
    }
    return copy.build();
  }

  /** Which allocations are given back soon after they are made. */
  private static boolean[] shortLived(AllocationTrace trace) {
    int[] taken = new int[trace.allocationCount()];
    boolean[] isShort = new boolean[taken.length];
    for (int row = 0; row < trace.eventCount(); row++) {
      switch (trace.kind(row)) {
        case ALLOCATE -> taken[trace.allocation(row)] = row;
        case FREE ->
            isShort[trace.allocation(row)] = row - taken[trace.allocation(row)] <= SCRATCH_ROWS;
        default -> {}
      }
    }
    return isShort;
  }

  /** Whether sizes are neither a constant nor a share of the parameter. */
  private static boolean isChosen(double[] values, double[] sizes) {
    boolean isConstant = true;
    boolean isShare = true;
    for (int i = 1; i < values.length; i++) {
      isConstant &= Math.abs(sizes[i] - sizes[0]) <= SAME_GROWTH * sizes[i];
      double share = sizes[0] * values[i] / values[0];
      isShare &= Math.abs(sizes[i] - share) <= Math.max(PADDING_BYTES, SAME_GROWTH * share);
    }
    return !isConstant && !isShare;
  }

  private static double scratchAt(double[] values, double[] sizes, double value, Scratch scratch) {
    int nearest = nearest(values, value);
    return scratch == Scratch.KEPT ? sizes[nearest] : sizes[nearest] * value / values[nearest];
  }

  /** By how much requests of each size grow that other runs have, too; the first of each size. */
  private Map<Long, Double> growths(double value, int base) {
    Map<Long, Double> growths = new HashMap<>();
    int[] rows = requests[base].rows();
    for (int i = 0; i < rows.length; i++) {
      long bytes = runs.get(base).trace().bytes(rows[i]);
      double[][] points = points(base, i);
      if (bytes > 0 && points[0].length > 1) {
        growths.putIfAbsent(bytes, sizeAt(points[0], points[1], value) / bytes);
      }
    }
    return growths;
  }

  /** Values and sizes of a request in all runs that have it, the base first. */
  private double[][] points(int base, int request) {
    List<double[]> found = new ArrayList<>();
    for (int other = 0; other < runs.size(); other++) {
      int same = other == base ? request : pairs[base][other][request];
      if (same >= 0) {
        Run run = runs.get(other);
        found.add(new double[] {run.value(), run.trace().bytes(requests[other].rows()[same])});
      }
    }
    found.sort((a, b) -> Double.compare(a[0], b[0]));
    double[][] points = new double[2][found.size()];
    for (int i = 0; i < found.size(); i++) {
      points[0][i] = found.get(i)[0];
      points[1][i] = found.get(i)[1];
    }
    return points;
  }

  /**
   * The size at a value, from sizes at other values that ascend. Sizes of tensors grow with a batch
   * or a length, and never more slowly at larger ones; sizes that do not are a library's choice,
   * such as a workspace, of which that at the nearest value is taken.
   */
  static double sizeAt(double[] values, double[] sizes, double value) {
    double size = shapeAt(values, sizes, value);
    return size >= 0 ? size : sizes[nearest(values, value)];
  }

  private static int nearest(double[] values, double value) {
    int nearest = 0;
    for (int i = 1; i < values.length; i++) {
      nearest = Math.abs(values[i] - value) <= Math.abs(values[nearest] - value) ? i : nearest;
    }
    return nearest;
  }

  /** The size at a value on a line or a parabola; negative where the sizes are of no shape. */
  private static double shapeAt(double[] values, double[] sizes, double value) {
    int last = values.length - 1;
    double slope = (sizes[last] - sizes[0]) / (values[last] - values[0]);
    double start = sizes[0] - slope * values[0];
    double off = 0;
    int middle = 0;
    for (int i = 1; i < last; i++) {
      double distance = Math.abs(sizes[i] - start - slope * values[i]);
      middle = distance >= off ? i : middle;
      off = Math.max(off, distance);
    }
    boolean scatters = scatters(values, sizes);
    if (off > Math.max(PADDING_BYTES, ON_LINE * Math.max(sizes[0], sizes[last]))) {
      if (scatters) {
        return value * share(values, sizes);
      }
      double toMiddle = (sizes[middle] - sizes[0]) / (values[middle] - values[0]);
      if (slope < 0 || toMiddle > slope) {
        return NO_SHAPE;
      }
      return parabola(
          new double[] {values[0], values[middle], values[last]},
          new double[] {sizes[0], sizes[middle], sizes[last]},
          value);
    }
    if (last == 1 && !scatters && start < -Math.max(PADDING_BYTES, ON_LINE * sizes[last])) {
      double first = sizes[0] / values[0];
      double square = (sizes[last] / values[last] - first) / (values[last] - values[0]);
      return value * (first + square * (value - values[0]));
    }
    return slope < 0 ? NO_SHAPE : start + slope * value;
  }

  private static boolean scatters(double[] values, double[] sizes) {
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (int i = 0; i < values.length; i++) {
      least = Math.min(least, sizes[i] / values[i]);
      most = Math.max(most, sizes[i] / values[i]);
    }
    return most <= (1 + SCATTER) * least;
  }

  /** The share of the parameter that is closest to all sizes, by least squares. */
  private static double share(double[] values, double[] sizes) {
    double products = 0;
    double squares = 0;
    for (int i = 0; i < values.length; i++) {
      products += values[i] * sizes[i];
      squares += values[i] * values[i];
    }
    return products / squares;
  }

  private static double parabola(double[] x, double[] y, double at) {
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      double term = y[i];
      for (int j = 0; j < x.length; j++) {
        term *= i == j ? 1 : (at - x[j]) / (x[i] - x[j]);
      }
      sum += term;
    }
    return sum;
  }

  private static long whole(double bytes, double value) {
    double rounded = Math.ceil(bytes - 1e-6);
    if (rounded < 0 || rounded >= MAX_BYTES) {
      throw new IllegalArgumentException(
          "the runs' sizes do not determine a size at "
              + value
              + "; give a value closer to theirs");
    }
    return (long) rounded;
  }
}
