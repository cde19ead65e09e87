package org.allocsim.reports.answer.part;

import org.allocsim.analysis.tuning.LintFinding;
import org.allocsim.reports.document.Shape;

/** What is to be known about a configuration string. */
public final class Findings {
  /** One finding. */
  public static final Shape<LintFinding> SHAPE =
      Shape.of(finding ->
          finding
              .text(
                  "kind",
                  "Kind of finding: illegal, ignored, inert, dangerous or unsupported.",
                  each -> each.kind().label())
              .text(
                  "severity",
                  "How much it matters: error or warning.",
                  each -> each.severity().label())
              .text("message", "A sentence for the user.", LintFinding::message));

  private Findings() {}
}
