package org.allocsim.benchmarks.suite;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What an invocation worked through; JMH divides the time by it. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class PassCounts {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Effects as PyTorch's history has them; rows of the program for simulations in time. */
  public long events;

  /** What the program asked for. */
  public long requests;

  /** Time that the processor gave to this thread, in nanoseconds; the rest others took. */
  public long cpuNanos;

  /** For JMH. */
  public PassCounts() {}

  /** Counts a pass that began when the thread had used this much of the processor. */
  void add(long passEvents, long passRequests, long startNanos) {
    events += passEvents;
    requests += passRequests;
    cpuNanos += now() - startNanos;
  }

  /** What the thread has used of the processor so far. */
  static long now() {
    return THREADS.getCurrentThreadCpuTime();
  }
}
