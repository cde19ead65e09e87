package org.allocsim.reports.answer.part;

import java.util.List;
import java.util.Locale;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Shape;
import org.allocsim.workloads.format.pytorch.derive.Inference;

/** What a recording does not say and was inferred. */
public final class Inferences {
  /** One inference. */
  public static final Shape<Inference> SHAPE =
      Shape.of(inference ->
          inference
              .count("device", "Index of the recorded device.", Inference::device)
              .text("subject", "What was inferred.", Inference::subject)
              .count("count", "How many.", Inference::count)
              .text(
                  "confidence",
                  "How sure it is: certain, likely or guess.",
                  each -> each.confidence().toString().toLowerCase(Locale.ROOT))
              .text("reason", "Why it follows.", Inference::reason));

  private Inferences() {}

  /** What was inferred and what the reader passed over, each under its heading. */
  public static List<Block> notes(List<Inference> inferences, List<String> notes) {
    return List.of(
        Notes.of(
            "inferred, as the recording does not say it",
            inferences.stream().map(InferenceText::line).toList()),
        Notes.of("notes", notes));
  }
}
