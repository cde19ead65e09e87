package org.allocsim.simulator.run;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jspecify.annotations.Nullable;

/**
 * What is run and how: this policy under this limit, on this device, with the requests of this
 * trace. Many runs may share a trace, on several threads.
 *
 * <p><b>Requests that fail.</b> A request that failed in the recording is an ALLOCATE row with its
 * FREE right after it: if it succeeds under other settings, its memory is freed immediately,
 * because the recording does not show what the program would have done with it. For a request that
 * fails only here, its later rows (FREE, USE_STREAM, USE_COMPLETE) are skipped: the program is
 * assumed to have caught the error and continued. From the first such request on, the program is no
 * longer known to be the recorded one; {@link AfterOom#STOP} ends there.
 *
 * <p><b>Time.</b> On a simulated device, a trace with work and one whose recorded driver time is
 * given run in time, unless they run several times over.
 *
 * @param trace the requests
 * @param device index of the device in the trace
 * @param policy the allocator
 * @param limitBytes bytes that it may reserve from the device, −1 without a limit
 * @param memory source of its memory
 * @param course how long it runs
 */
public record RunSetup(
    AllocationTrace trace,
    int device,
    RunPolicy policy,
    long limitBytes,
    MemorySource memory,
    Course course) {

  /**
   * How long a run lasts, at which pace, and what it keeps.
   *
   * @param afterOom what to do after a failed request
   * @param lastRow row after which the run ends at the latest
   * @param passes how often the rows after the prologue are sent, at least once; see {@link
   *     org.allocsim.simulator.engine.Replay#run(long,
   *     org.allocsim.simulator.engine.Replay.Observer)}
   * @param recordedDriverNanos time of the recorded allocator's driver calls in each row, by which
   *     the program's own pace is known; null where the trace is no recording, or time does not
   *     matter
   * @param maxFailures failed requests that are kept with their message; later ones are only
   *     counted
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Course(
      AfterOom afterOom,
      int lastRow,
      long passes,
      long @Nullable [] recordedDriverNanos,
      int maxFailures) {
    /** The whole trace, once, whatever fails. */
    static final Course WHOLE = new Course(AfterOom.CONTINUE, Integer.MAX_VALUE, 1, null, 16);
  }

  /** A run of the whole trace, once, that continues after failed requests. */
  public RunSetup(
      AllocationTrace trace, int device, RunPolicy policy, long limitBytes, MemorySource memory) {
    this(trace, device, policy, limitBytes, memory, Course.WHOLE);
  }

  /** As above, for an installed policy on a simulated device. */
  public RunSetup(
      AllocationTrace trace,
      int device,
      PolicyChoice choice,
      long limitBytes,
      DeviceProfile profile) {
    this(trace, device, RunPolicy.of(choice), limitBytes, new MemorySource.Simulated(profile));
  }

  /** The same with another policy. */
  public RunSetup with(RunPolicy other) {
    return new RunSetup(trace, device, other, limitBytes, memory, course);
  }

  /** The same with another policy. */
  public RunSetup with(PolicyChoice choice) {
    return with(RunPolicy.of(choice));
  }

  /** The same with memory from elsewhere. */
  public RunSetup with(MemorySource other) {
    return new RunSetup(trace, device, policy, limitBytes, other, course);
  }

  private RunSetup with(
      AfterOom afterOom, int lastRow, long passes, long @Nullable [] driverNanos, int failures) {
    Course other = new Course(afterOom, lastRow, passes, driverNanos, failures);
    return new RunSetup(trace, device, policy, limitBytes, memory, other);
  }

  /** The same, going on after failed requests as is said. */
  public RunSetup with(AfterOom other) {
    Course c = course;
    return with(other, c.lastRow, c.passes, c.recordedDriverNanos, c.maxFailures);
  }

  /** The same that ends after a row, or before the first for −1. */
  public RunSetup endingAfter(int row) {
    Course c = course;
    return with(c.afterOom, row, c.passes, c.recordedDriverNanos, c.maxFailures);
  }

  /** The same several times over. */
  public RunSetup repeated(long times) {
    Course c = course;
    return with(c.afterOom, c.lastRow, times, c.recordedDriverNanos, c.maxFailures);
  }

  /** The same at the pace of a recorded program whose allocator's driver time is given by row. */
  public RunSetup atPaceBeside(long[] driverNanosByRow) {
    Course c = course;
    return with(c.afterOom, c.lastRow, c.passes, driverNanosByRow, c.maxFailures);
  }

  /** The same, keeping at most this many failed requests. */
  public RunSetup keepingFailures(int most) {
    Course c = course;
    return with(c.afterOom, c.lastRow, c.passes, c.recordedDriverNanos, most);
  }

  /** Whether the run has a clock of its own. */
  boolean isInTime() {
    return memory instanceof MemorySource.Simulated
        && course.passes == 1
        && (trace.workCount() > 0 || course.recordedDriverNanos != null);
  }
}
