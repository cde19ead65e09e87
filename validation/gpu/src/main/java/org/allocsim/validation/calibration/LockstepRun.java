package org.allocsim.validation.calibration;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.validation.gpu.ProgramWork;
import org.allocsim.validation.gpu.TimedCalls;
import org.apache.commons.math3.random.RandomGenerator;

/** What the experiments share: both devices, the observations, random numbers and a bound. */
final class LockstepRun {
  private final CalibrationTarget target;
  private final MarkedDevice marked;
  private final ObservationSet observations;
  private final RandomGenerator random;
  private final long pageBytes;
  private final ProgramWork between = new ProgramWork();
  private final long maxBytes;

  LockstepRun(
      CalibrationTarget target,
      MarkedDevice marked,
      ObservationSet observations,
      RandomGenerator random,
      long maxBytes) {
    this.target = target;
    this.marked = marked;
    this.observations = observations;
    this.random = random;
    pageBytes = marked.device().profile().pageBytes();
    this.maxBytes = maxBytes;
  }

  DeviceMemory memory() {
    return target.memory();
  }

  StreamOrderedMemory pool() {
    return target.pool();
  }

  MarkedDevice marked() {
    return marked;
  }

  ObservationSet observations() {
    return observations;
  }

  RandomGenerator random() {
    return random;
  }

  long pageBytes() {
    return pageBytes;
  }

  /** Memory that may be in use. */
  long maxBytes() {
    return maxBytes;
  }

  /** Performs a call as between other work of a program, and answers its time. */
  double timed(DriverCall call, Runnable work) {
    between.run();
    long before = target.nanos(call);
    work.run();
    return target.nanos(call) - before;
  }

  /** A whole number between two others, spread evenly over its magnitudes. */
  long logUniform(long least, long most) {
    return TimedCalls.logUniform(least, most, random);
  }

  /** Compares the free bytes of both devices. */
  void compareFree() {
    observations.compare(marked.device().freeBytes(), memory().freeBytes());
  }
}
