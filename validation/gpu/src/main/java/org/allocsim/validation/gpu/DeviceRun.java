package org.allocsim.validation.gpu;

import java.util.List;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;

/**
 * What was done on a device, real or simulated.
 *
 * @param outcome what came of it
 * @param log the calls of the device
 * @param freeBytesAtStart free bytes of the device before the first call
 */
record DeviceRun(Outcome outcome, List<LoggedCall> log, long freeBytesAtStart) {
  /** Work that makes calls of a device, the same ones whenever these have the same answers. */
  @FunctionalInterface
  interface Work {
    Outcome on(RecordingDevice memory) throws PolicyOptionException, UnfitTraceException;
  }

  /**
   * What came of work.
   *
   * @param requests allocation requests, those of a trace's prologue not counted
   * @param failures indices of those that failed
   */
  record Outcome(long requests, List<Long> failures) {}

  static DeviceRun of(Work work, RecordingDevice memory, List<LoggedCall> log)
      throws PolicyOptionException, UnfitTraceException {
    long freeBytesAtStart = memory.freeBytesAtStart();
    return new DeviceRun(work.on(memory), log, freeBytesAtStart);
  }

  /** Highest memory taken from the device after any call. */
  long peakBytes() {
    long least = freeBytesAtStart;
    for (LoggedCall call : log) {
      least = Math.min(least, call.freeBytes());
    }
    return freeBytesAtStart - least;
  }
}
