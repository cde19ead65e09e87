package org.allocsim.analysis.fit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.Perturbation;
import org.allocsim.workloads.transform.SizeFit;

/**
 * Predicts peaks of a program at another value of its parameter: the sizes of its requests are
 * fitted and the requests run through the allocator.
 *
 * <p>The run with the largest value is followed. The interval of reserved memory holds what every
 * run gives that is followed, copies of the fitted program with slightly changed sizes, programs
 * whose scratch memory, and what one run alone asks for, stays or grows as the parameter does, and
 * what is allocated, widened on both sides by {@link #uncertainty}. It is a bound on what is known
 * to vary, no confidence interval of a distribution.
 */
public final class ProgramFit {
  /** Allowance at the values of the runs: a segment more or less, of 2 to 20 MiB. */
  private static final double AT_RUNS = 0.01;

  /** Allowance for every doubling beyond the runs: libraries choose other algorithms. */
  private static final double PER_DOUBLING = 0.01;

  /** Copies of the fitted program that show how much its peak depends on small differences. */
  private static final int COPIES = 10;

  /** How much they differ: a fitted size is seldom wrong by more. */
  private static final Perturbation CHANGES =
      new Perturbation(true, 0.02, Perturbation.Resize.SIZE);

  private static final long MAX_VALUE = 1L << 24;

  private final SizeFit fit;
  private final int base;

  /**
   * A prediction.
   *
   * @param value value of the parameter
   * @param result the fitted program on the device
   * @param lowReservedBytes lower end of the interval of the peak of reserved memory
   * @param highReservedBytes its upper end
   */
  public record Prediction(
      double value, RunResult result, long lowReservedBytes, long highReservedBytes) {}

  /** Fits runs. */
  public ProgramFit(SizeFit fit) {
    this.fit = fit;
    base =
        IntStream.range(0, fit.runs().size())
            .boxed()
            .max(Comparator.comparingDouble(i -> fit.runs().get(i).value()))
            .orElseThrow();
  }

  /** Share of the requests of the run that is followed which all others have, too. */
  public double sharedRatio() {
    return fit.sharedRatio(base);
  }

  public List<SizeFit.Run> runs() {
    return fit.runs();
  }

  /** Whether some request grows as the parameter does. */
  public boolean isProportional() {
    return fit.isProportional();
  }

  public AllocationTrace at(double value) {
    return fit.at(value, base);
  }

  /**
   * Predicts.
   *
   * @param scenario allocator, settings and a device that is large enough
   * @throws IllegalArgumentException with a sentence where the sizes of the runs give none
   */
  public Prediction predict(double value, Scenario scenario) {
    RunResult result = run(value, base, scenario);
    List<Long> peaks = new ArrayList<>();
    for (int followed = 0; followed < fit.runs().size(); followed++) {
      peaks.add(
          followed == base
              ? result.peakReservedBytes()
              : run(value, followed, scenario).peakReservedBytes());
    }
    for (SizeFit.Scratch other : List.of(SizeFit.Scratch.KEPT, SizeFit.Scratch.PROPORTIONAL)) {
      peaks.add(run(fit.at(value, base, other), base, scenario).peakReservedBytes());
    }
    double uncertainty = uncertainty(value, result.peakReservedBytes(), scenario);
    AllocationTrace fitted = at(value);
    for (long seed = 1; seed <= COPIES; seed++) {
      peaks.add(
          Run.of(
                  scenario.setup(
                      CHANGES.apply(fitted, fit.runs().get(base).device(), seed),
                      fit.runs().get(base).device(),
                      AfterOom.CONTINUE))
              .peakReservedBytes());
    }
    // A few requests more at larger values move the others and may close every gap: no smaller run
    // shows whether they come.
    peaks.add(result.peakAllocatedBytes());
    long low = peaks.stream().min(Comparator.naturalOrder()).orElseThrow();
    long high = peaks.stream().max(Comparator.naturalOrder()).orElseThrow();
    return new Prediction(
        value,
        result,
        (long) Math.floor(low * (1 - uncertainty)),
        (long) Math.ceil(high * (1 + uncertainty)));
  }

  /**
   * Share by which a prediction may be wrong: {@value #AT_RUNS}, {@value #PER_DOUBLING} for every
   * doubling beyond the runs, the share of requests that not all runs have, and what the others
   * miss the peak of the run with the largest value by.
   */
  private double uncertainty(double value, long peakBytes, Scenario scenario) {
    double smallest = fit.runs().stream().mapToDouble(SizeFit.Run::value).min().orElseThrow();
    double largest = fit.runs().get(base).value();
    double beyond = Math.max(value / largest, smallest / value);
    double doublings = Math.max(0, Math.log(beyond) / Math.log(2));
    return AT_RUNS
        + PER_DOUBLING * doublings
        + (1 - sharedRatio())
        + (peakBytes == 0 || fit.runs().size() < 3 ? 0 : missed(scenario));
  }

  private double missed(Scenario scenario) {
    List<SizeFit.Run> others = new ArrayList<>(fit.runs());
    SizeFit.Run left = others.remove(base);
    long recorded =
        Run.of(scenario.setup(left.trace(), left.device(), AfterOom.CONTINUE)).peakReservedBytes();
    ProgramFit fewer = new ProgramFit(SizeFit.of(others));
    long predicted = fewer.run(left.value(), fewer.base, scenario).peakReservedBytes();
    return recorded == 0 ? 0 : Math.abs((double) predicted / recorded - 1);
  }

  private RunResult run(double value, int followed, Scenario scenario) {
    return run(fit.at(value, followed), followed, scenario);
  }

  private RunResult run(AllocationTrace trace, int followed, Scenario scenario) {
    return Run.of(scenario.setup(trace, fit.runs().get(followed).device(), AfterOom.CONTINUE));
  }

  /**
   * The largest whole value at which every request is served, 0 where not even 1 is; −1 where the
   * device holds more than {@code 2^24}. A value for which the sizes of the runs give no size
   * counts as one that fails.
   */
  public long largest(Scenario scenario) {
    long passing = (long) runs().stream().mapToDouble(SizeFit.Run::value).min().orElseThrow();
    while (passing > 0 && !fits(passing, scenario)) {
      passing /= 2;
    }
    long failing = Math.max(1, 2 * passing);
    while (fits(failing, scenario)) {
      passing = failing;
      failing *= 2;
      if (failing > MAX_VALUE) {
        return -1;
      }
    }
    while (failing - passing > 1) {
      long middle = passing + (failing - passing) / 2;
      if (fits(middle, scenario)) {
        passing = middle;
      } else {
        failing = middle;
      }
    }
    return passing;
  }

  /** Whether the runs give sizes at a value, and every request is served. */
  public boolean fits(double value, Scenario scenario) {
    AllocationTrace trace;
    try {
      trace = at(value);
    } catch (IllegalArgumentException _) {
      return false;
    }
    return Run.of(scenario.setup(trace, fit.runs().get(base).device(), AfterOom.STOP)).passes();
  }
}
