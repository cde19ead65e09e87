package org.allocsim.workloads.format;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * What was read from a file.
 *
 * @param name the file's name as the user gave it
 * @param sha256 SHA-256 of the file as stored, in hexadecimal
 * @param format id of its format
 * @param trace the requests of all devices
 * @param notes what the reader inferred or passed over, with counts, a sentence each
 */
public record TraceFile(
    String name, String sha256, String format, AllocationTrace trace, List<String> notes) {
  /** Keeps its own copy of the notes. */
  public TraceFile {
    notes = List.copyOf(notes);
  }

  /** Adds a sentence that begins with how many there are, where there are any. */
  public static void add(List<String> sentences, long count, String what) {
    if (count > 0) {
      sentences.add(count + " " + what);
    }
  }
}
