package org.allocsim.reports.answer.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.validation.gpu.ValidationSummary;

/** The page of {@code validate}. */
public final class ValidatePage {
  private ValidatePage() {}

  /**
   * A page.
   *
   * @param results what the command writes as JSON
   * @param recordings simulated runs of the cases
   */
  public static ReportPage of(
      ValidateReport report, Map<String, Object> results, List<TraceRecording> recordings) {
    return new ReportPage("validate", report.gpu().name(), verdict(report), results, recordings);
  }

  private static Verdict verdict(ValidateReport report) {
    ValidationSummary all = ValidationSummary.of(report.results(_ -> true));
    if (all.cases() == 0) {
      return Verdict.ofText(Verdict.Tone.NEUTRAL, "No case could be run.", List.of(), null);
    }
    boolean isExact = all.sameCalls() == all.cases() && all.sameFailures() == all.cases();
    String of = " of " + Numbers.count(all.cases(), "case");
    String sentence =
        isExact
            ? "The simulation is right on this GPU: the same driver calls and the same failed"
                + " requests in "
                + (all.cases() == 1
                    ? "the one case."
                    : "all " + Numbers.count(all.cases()) + " cases.")
            : "The simulation and this GPU differ: the same driver calls in "
                + Numbers.count(all.sameCalls())
                + ", the same failed requests in "
                + Numbers.count(all.sameFailures())
                + of
                + ".";
    List<String> details = new ArrayList<>();
    details.add("Free bytes right after every call: " + Numbers.count(all.freeBytesExact()) + of);
    details.add("Peaks under-estimated: " + Numbers.count(all.underEstimated()) + of);
    details.add(
        "Addresses where predicted: "
            + Numbers.share(all.addressesEqual(), all.addressesCompared()));
    if (all.timedCases() > 0) {
      details.add(
          "Driver time, predicted over measured: median %.2f, 95 %% interval %.2f to %.2f, over %s"
              .formatted(
                  all.timeRatio(),
                  all.lowTimeRatio(),
                  all.highTimeRatio(),
                  Numbers.count(all.timedCases(), "case")));
    }
    report.cases().stream()
        .filter(each -> each.result() != null && !each.result().hasSameCalls())
        .map(each ->
            each.trace()
                + " with "
                + each.choice().label()
                + ": "
                + each.result().firstDifference())
        .forEach(details::add);
    return Verdict.ofText(isExact ? Verdict.Tone.GOOD : Verdict.Tone.BAD, sentence, details, null);
  }
}
