package org.allocsim.analysis.job;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A rank of a job.
 *
 * @param number its number, from 0; null where neither the file's name nor its content gives one.
 *     Of several hosts whose files count from 0 each, it is the number on its host
 * @param host the host that the file's name gives; null where it gives none
 * @param file its recording
 * @param name the file's name below the job's folder
 */
public record Rank(@Nullable Integer number, @Nullable String host, Path file, String name) {
  /** Its number and host, or the file's name without a number. */
  public String id() {
    if (number == null) {
      return name;
    }
    return host == null ? number.toString() : number + " of " + host;
  }

  /** Its name in sentences. */
  public String label() {
    return number == null ? name : "rank " + id();
  }

  /**
   * Whether the recording names another rank. A number on one of several hosts is not that of the
   * whole job.
   */
  public boolean isContradictedBy(int recordedRank) {
    return number != null && host == null && number != recordedRank;
  }
}
