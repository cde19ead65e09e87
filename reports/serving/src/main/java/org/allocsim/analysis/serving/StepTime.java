package org.allocsim.analysis.serving;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.workloads.model.ServedModel;

/**
 * How long a step takes: the slower of reading and computing, at the rates of the GPU's data sheet,
 * and the kernels one after the other.
 *
 * <p><b>Assumptions.</b> Weights are read once a step, keys and values of a sequence once; a token
 * takes two operations for each weight it meets, and four for each feature of a query and token
 * that it looks back at. Rates are peaks, so a real step takes longer; the host is never waited
 * for. The roofline is that of Williams et al., CACM 2009.
 */
final class StepTime {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Norms, projections, rotation, cache, attention, activation: kernels of a layer. */
  private static final int KERNELS_PER_LAYER = 12;

  private final double nanosPerByte;
  private final double nanosPerOperation;
  private final long fixedNanos;
  private final long weightBytes;

  /** Operations for a token, and for a token at which it looks back. */
  private final double tokenOperations;

  private final double attendedOperations;

  /**
   * The time of a model's steps.
   *
   * @param weightBytes weights that it reads in a step
   */
  StepTime(DeviceProfile device, ServedModel model, long weightBytes) {
    this.weightBytes = weightBytes;
    tokenOperations = 2.0 * model.activeParameters();
    attendedOperations = 4.0 * model.attentionLayers() * model.queryWidth();
    nanosPerByte = NANOS_PER_SECOND / device.compute().memoryBytesPerSecond();
    nanosPerOperation = NANOS_PER_SECOND / device.compute().flopsPerSecond(Precision.BF16);
    fixedNanos = (long) model.layers() * KERNELS_PER_LAYER * device.compute().kernelNanos();
  }

  /**
   * Time of a step.
   *
   * @param tokens tokens that it computes
   * @param attended tokens at which they look back, all together
   * @param readBytes bytes of keys and values that it reads
   */
  long nanos(int tokens, double attended, long readBytes) {
    double reading = (weightBytes + readBytes) * nanosPerByte;
    double operations = tokenOperations * tokens + attendedOperations * attended;
    return fixedNanos + (long) Math.max(reading, operations * nanosPerOperation);
  }
}
