package org.allocsim.reports.fleet;

import java.io.Serializable;
import java.nio.file.Path;

/** Reads the traces of a fleet. Other processes get it by serialization. */
public interface TraceReader extends Serializable {
  /**
   * Reads a file.
   *
   * @throws UnreadableTraceException where it is no trace
   */
  FleetTrace read(Path file, SweepRequest request) throws UnreadableTraceException;
}
