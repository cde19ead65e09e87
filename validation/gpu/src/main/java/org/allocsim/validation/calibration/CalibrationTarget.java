package org.allocsim.validation.calibration;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;

/** A device whose calls are timed. One thread at a time. */
public interface CalibrationTarget {
  /** The GPU's name as the driver gives it. */
  String cardName();

  /** Version of the driver's CUDA, such as 13000 for 13.0. */
  int cudaVersion();

  /** Blocks and address ranges. */
  DeviceMemory memory();

  /** The pool of stream-ordered memory. */
  StreamOrderedMemory pool();

  /** Makes streams with the numbers below {@code count}. */
  void createStreams(int count);

  /** Host time of all calls of one kind so far, in nanoseconds. */
  long nanos(DriverCall call);

  /** Waits for the idle device and answers the host time of that. */
  long synchronizeNanos();

  /** Makes every call often enough for later calls to be timed without the compiling of code. */
  void warmUp();

  /** Copies between host and device, where they can be made. */
  Optional<CopyTimer> copies();

  /** Timed copies and what belongs to them; all times in nanoseconds. */
  interface CopyTimer {
    /** Time of allocating pinned host memory. */
    long pinNanos(long bytes);

    /** Times of copies between the device and pinned or pageable host memory. */
    long[] copyNanos(long bytes, boolean pinned, boolean toDevice, int times);

    /** Host times of small fills that are not waited for. */
    long[] launchNanos(int times);
  }
}
