package org.allocsim.benchmarks.suite;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What reading a file came by; JMH divides the time by it. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class ReadCounts {
  /** Entries of the file's histories. */
  public long events;

  /** Bytes of the file without compression. */
  public long bytes;

  /** For JMH. */
  public ReadCounts() {}
}
