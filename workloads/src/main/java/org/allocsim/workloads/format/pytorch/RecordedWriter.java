package org.allocsim.workloads.format.pytorch;

import java.io.IOException;
import java.io.OutputStream;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceWriter;

/** A writer whose format holds recordings, too. */
public interface RecordedWriter extends TraceWriter {
  /**
   * Writes the plain content of a file that holds a recording: everything of it, and the requests
   * of one device.
   *
   * @param trace the requests that were derived from the recording
   * @param device the device that was chosen
   * @param out stays open
   */
  void write(AllocationTrace trace, int device, Snapshot recording, OutputStream out)
      throws IOException;
}
