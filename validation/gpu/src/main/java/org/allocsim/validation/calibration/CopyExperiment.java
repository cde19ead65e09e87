package org.allocsim.validation.calibration;

import java.util.Arrays;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.apache.commons.math3.stat.descriptive.rank.Median;

/**
 * Speed of copies, of pinning and of launches: medians of repeated calls. Rates are those of large
 * copies without the time of a small one.
 */
public final class CopyExperiment {
  private static final long SMALL_BYTES = 512;
  private static final long LARGE_BYTES = 256L << 20;
  private static final int SMALL_TIMES = 400;
  private static final int LARGE_TIMES = 9;
  private static final long MIB = 1L << 20;
  private static final int[] PINNED_MIB = {1, 4, 16, 64, 256};

  private CopyExperiment() {}

  /**
   * What was found; rates in bytes per second.
   *
   * @param pinnedToDevice rate of copies from pinned memory
   * @param pinnedToHost rate of copies to pinned memory
   * @param pageableToDevice rate of copies from pageable memory
   * @param pageableToHost rate of copies to pageable memory
   * @param copyNanos time of a small copy from pinned memory
   * @param launchNanos host time of a small fill
   * @param pinNanos fixed time of pinning
   * @param pinMebibyteNanos more for each MiB
   */
  public record Result(
      long pinnedToDevice,
      long pinnedToHost,
      long pageableToDevice,
      long pageableToHost,
      long copyNanos,
      long launchNanos,
      long pinNanos,
      long pinMebibyteNanos) {

    /** The speed of a GPU with these figures for copies. */
    ComputeProfile on(ComputeProfile base, String source) {
      return new ComputeProfile(
          source,
          base.fp32FlopsPerSecond(),
          base.tf32FlopsPerSecond(),
          base.fp16FlopsPerSecond(),
          base.bf16FlopsPerSecond(),
          base.memoryBytesPerSecond(),
          launchNanos,
          base.kernelNanos(),
          harmonicMean(pinnedToDevice, pinnedToHost),
          harmonicMean(pageableToDevice, pageableToHost),
          copyNanos,
          pinNanos,
          pinMebibyteNanos,
          base.linkBytesPerSecond(),
          base.networkBytesPerSecond());
    }

    /** One byte each way. */
    private static long harmonicMean(long one, long other) {
      return Math.round(2.0 / (1.0 / one + 1.0 / other));
    }
  }

  static Result of(CalibrationTarget.CopyTimer timer) {
    long copy = median(timer.copyNanos(SMALL_BYTES, true, true, SMALL_TIMES));
    Observations pinning = new Observations(CallClass.TRIM);
    for (int mebibytes : PINNED_MIB) {
      for (int i = 0; i < LARGE_TIMES; i++) {
        pinning.add(timer.pinNanos(mebibytes * MIB), mebibytes);
      }
    }
    RobustFit pins = RobustFit.of(pinning);
    return new Result(
        rate(timer, true, true, copy),
        rate(timer, true, false, copy),
        rate(timer, false, true, copy),
        rate(timer, false, false, copy),
        copy,
        median(timer.launchNanos(SMALL_TIMES)),
        Math.max(0, Math.round(pins.estimate(0).value())),
        Math.max(0, Math.round(pins.estimate(1).value())));
  }

  private static long rate(
      CalibrationTarget.CopyTimer timer, boolean pinned, boolean toDevice, long smallNanos) {
    long nanos = median(timer.copyNanos(LARGE_BYTES, pinned, toDevice, LARGE_TIMES));
    return Math.round(LARGE_BYTES * 1e9 / Math.max(1, nanos - smallNanos));
  }

  private static long median(long[] values) {
    return Math.round(new Median().evaluate(Arrays.stream(values).asDoubleStream().toArray()));
  }
}
