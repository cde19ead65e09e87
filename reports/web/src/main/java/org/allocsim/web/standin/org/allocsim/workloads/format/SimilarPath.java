package org.allocsim.web.standin.org.allocsim.workloads.format;

import java.nio.file.Path;

/** A page has no folders whose files could be meant. */
public final class SimilarPath {
  private SimilarPath() {}

  /** The remedy at the end of a sentence about a path that does not exist. */
  public static String remedy(Path missing) {
    return "check the path";
  }

  /** Nothing: no path is similar. */
  public static String hint(Path missing) {
    return "";
  }
}
