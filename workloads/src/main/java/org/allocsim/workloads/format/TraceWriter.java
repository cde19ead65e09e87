package org.allocsim.workloads.format;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;

/** Writes the requests of one device of a trace as a file of some format. */
public interface TraceWriter {
  /**
   * What of the requests the format cannot hold, with counts, a sentence each; empty where reading
   * the file gives the same requests.
   */
  List<String> losses(AllocationTrace trace, int device);

  /**
   * Writes the file's plain content.
   *
   * @param out stays open
   */
  void write(AllocationTrace trace, int device, OutputStream out) throws IOException;
}
