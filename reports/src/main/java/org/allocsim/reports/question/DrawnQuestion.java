package org.allocsim.reports.question;

import java.io.IOException;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.DocumentOutputs;

/**
 * A question that writes more than its answer, such as charts.
 *
 * @param <A> the answer
 */
public interface DrawnQuestion<A> extends Question<A> {
  /** Opens further outputs before the work begins. */
  default void open(DocumentOutputs outputs) {}

  /** Writes it. */
  void draw(A answer, DocumentOutputs outputs) throws IOException;

  /** The answer next to the charts of a report. */
  default Document<?> drawnDocument(A answer) {
    return document(answer);
  }
}
