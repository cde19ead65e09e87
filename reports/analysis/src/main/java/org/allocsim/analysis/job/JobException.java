package org.allocsim.analysis.job;

/** A folder is no job. The message is one sentence that names folder, cause and remedy. */
public final class JobException extends Exception {
  private static final long serialVersionUID = 1L;

  JobException(String sentence) {
    super(sentence);
  }
}
