package org.allocsim.validation.benchmark;

/**
 * What one benchmark showed.
 *
 * @param id its name, by which results of several runs are compared
 * @param what what is measured, for people
 * @param unit what is counted: "event", or "row" for simulations in time
 * @param nanosPerEvent time by the clock
 * @param cpuShare part of that time which the processor gave to the measured thread; NaN where
 *     several threads work
 * @param requestsPerEvent requests for each event; NaN where there are none
 * @param plainBytesPerEvent uncompressed bytes of the file for each event; NaN where none is read
 * @param allocatedBytesPerEvent bytes of Java heap that were allocated for each event
 * @param peakResidentBytes most memory that the process had; NaN where a part of it is measured
 * @param events how many there were in all
 */
public record Measurement(
    String id,
    String what,
    String unit,
    Samples nanosPerEvent,
    double cpuShare,
    double requestsPerEvent,
    double plainBytesPerEvent,
    double allocatedBytesPerEvent,
    double peakResidentBytes,
    long events) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Events a second, in the median. */
  public double eventsPerSecond() {
    return NANOS_PER_SECOND / nanosPerEvent.median();
  }

  /** Nanoseconds for each request, in the median; NaN where there are none. */
  public double nanosPerRequest() {
    return nanosPerEvent.median() / requestsPerEvent;
  }

  /** Uncompressed bytes a second, in the median; NaN where no file is read. */
  public double plainBytesPerSecond() {
    return plainBytesPerEvent * eventsPerSecond();
  }
}
