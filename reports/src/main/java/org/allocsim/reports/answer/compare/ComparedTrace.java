package org.allocsim.reports.answer.compare;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * A trace and what policies made of it.
 *
 * @param file the file's name as it was given
 * @param sha256 digest of the file's bytes, in hexadecimal
 * @param format id of its format
 * @param trace the requests
 * @param device index of the recorded device
 * @param conf settings that the program was recorded with; null where they are not known
 * @param notes what the reader passed over or changed
 * @param results what policies made of it, in the order of {@link #RANK}
 */
public record ComparedTrace(
    String file,
    String sha256,
    String format,
    AllocationTrace trace,
    int device,
    String conf,
    List<String> notes,
    List<PolicyResult> results) {
  /** What serves every request comes first, the least reserved memory before the others. */
  public static final Comparator<PolicyResult> RANK =
      Comparator.comparing((PolicyResult result) -> !result.isRun())
          .thenComparing(result -> !result.passes())
          .thenComparingLong(PolicyResult::failureCount)
          .thenComparingLong(PolicyResult::peakReservedBytes)
          .thenComparing(result -> result.choice().label());

  /** Ranks the results. */
  public ComparedTrace {
    notes = List.copyOf(notes);
    results = results.stream().sorted(RANK).toList();
  }

  /** The file's name without its folder. */
  String shortName() {
    return String.valueOf(Path.of(file).getFileName());
  }
}
