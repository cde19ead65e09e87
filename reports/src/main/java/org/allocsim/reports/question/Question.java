package org.allocsim.reports.question;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.ExitCodes;

/**
 * A question about one trace or several. It holds what a user chose, is asked as often as there are
 * traces, and knows neither options nor files to write.
 *
 * @param <A> the answer
 */
public interface Question<A> {
  /**
   * Finds the answer.
   *
   * @throws org.allocsim.reports.output.Failure where there is none
   */
  A ask(Asked asked) throws IOException;

  /** The answer for people and programs. */
  Document<?> document(A answer);

  /**
   * The runs of the answer for a page, recorded now; empty if it is about no particular run. A
   * job's page shows each rank as it was recorded.
   */
  default Optional<List<TraceRecording>> runs(A answer) {
    return Optional.empty();
  }

  /** Whether the check passes. */
  default boolean holds(A answer) {
    return true;
  }

  /** The exit code of an answer. */
  default int exitCode(A answer) {
    return holds(answer) ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
  }

  /** Whether anything was found before the process was asked to stop. */
  default boolean isAnswered(A answer) {
    return true;
  }
}
