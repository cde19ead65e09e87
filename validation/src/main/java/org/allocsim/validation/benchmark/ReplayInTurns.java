package org.allocsim.validation.benchmark;

/** A warm replay that takes turns with another program: it measures when it is asked to. */
public interface ReplayInTurns {
  /**
   * What a sample measured.
   *
   * @param nanosPerEvent nanoseconds of an effect
   * @param nanosPerRequest nanoseconds of a request
   * @param cpuShare part of the time that the processor gave to this thread
   */
  record Sample(double nanosPerEvent, double nanosPerRequest, double cpuShare) {}

  /** Measures one sample. */
  Sample sample() throws BenchmarkException;

  /** Requests of a pass. */
  long requestsPerPass();

  /** Passes in samples so far, without those of the warm-up. */
  long passes();
}
