package org.allocsim.workloads.format;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A kind of file that holds what a program asked of its allocator. Every format has one
 * implementation, named in {@code META-INF/services}; what commands can read, their lists and their
 * documentation follow from it. All formats are read plain or compressed (gzip, xz, zstd).
 */
public interface TraceFormat {
  /** Name on command lines and in results, such as {@code "rmm-csv"}. */
  String id();

  /** What the file is and which program and version writes it, in a line. */
  String summary();

  /** Endings of the names of plain files, without the dot, the usual one first. */
  List<String> extensions();

  /** Whether a file is of this format, by its first bytes. */
  boolean recognises(FileStart start);

  /**
   * Whether a file that the format recognises certainly holds something else, such as other data in
   * the same encoding, by its first bytes. A damaged file of this format does not.
   */
  default boolean isOther(FileStart start) {
    return false;
  }

  /**
   * Reads a file.
   *
   * @throws TraceFormatException where it cannot be read as this format
   */
  TraceFile read(Path file, Progress progress) throws TraceFormatException;

  /** Writes traces in this format, where it can hold them. */
  default Optional<TraceWriter> writer() {
    return Optional.empty();
  }
}
