package org.allocsim.workloads.format.pytorch;

import java.nio.file.Path;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;

/** A format whose files may hold what PyTorch's allocator did, from which requests are derived. */
public interface RecordedFormat extends TraceFormat {
  /**
   * Reads a file with all that it holds.
   *
   * @throws TraceFormatException where it cannot be read as this format
   */
  Content readContent(Path file, Progress progress) throws TraceFormatException;

  /** What a file holds. */
  sealed interface Content {}

  /**
   * A recording.
   *
   * @param snapshot what was recorded, of all devices
   * @param device device that whoever wrote the file chose, or {@link #NO_CHOICE}
   */
  record Recorded(Snapshot snapshot, int device) implements Content {
    /** Nobody chose a device. */
    public static final int NO_CHOICE = -1;
  }

  /**
   * Requests, and nothing of what an allocator made of them.
   *
   * @param file the requests
   */
  record Requests(TraceFile file) implements Content {}
}
