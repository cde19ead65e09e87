package org.allocsim.validation.gpu;

import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.validation.gpu.cuda.DriverCallListener;

/** Counts the calls of the real driver and their time. */
final class DriverMeasure implements DriverCallListener {
  private final long[] calls = new long[DriverCall.values().length];
  private final long[] nanos = new long[DriverCall.values().length];
  private long allNanos;

  @Override
  public void called(DriverCall call, long bytes, long callNanos, boolean refused) {
    calls[call.ordinal()]++;
    nanos[call.ordinal()] += callNanos;
    allNanos += callNanos;
  }

  long calls(DriverCall call) {
    return calls[call.ordinal()];
  }

  long nanos(DriverCall call) {
    return nanos[call.ordinal()];
  }

  long nanos() {
    return allNanos;
  }
}
