package org.allocsim.workloads.format;

import java.nio.file.Path;

/**
 * A file cannot be read as a trace. The message is one sentence for the user that names the file,
 * the place in it, the cause and what to do about it.
 */
public final class TraceFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Puts the sentence together.
   *
   * @param file name of the file as the user gave it
   * @param place where in the file, such as {@code "byte 17"}; empty where the whole file is meant
   * @param cause what is wrong there
   * @param remedy what the user can do
   */
  public TraceFormatException(String file, String place, String cause, String remedy) {
    super(
        file
            + (place.isEmpty() ? "" : ", " + place)
            + ": "
            + cause
            + "; "
            + remedy
            + (remedy.endsWith("?") ? "" : "."));
  }

  /** There is no such file. */
  public static TraceFormatException noSuchFile(Path file) {
    return new TraceFormatException(file.toString(), "", "no such file", SimilarPath.remedy(file));
  }
}
