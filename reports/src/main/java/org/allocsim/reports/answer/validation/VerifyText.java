package org.allocsim.reports.answer.validation;

import java.io.PrintWriter;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.validation.fidelity.DeviceVerification;
import org.allocsim.validation.fidelity.Divergence;

/** Prints what a verification found. */
public final class VerifyText {
  private static final int LINES_SHOWN = 10;

  private VerifyText() {}

  /**
   * Prints one device.
   *
   * @param limitGiven whether the user gave a limit; a missing one often explains a divergence
   */
  public static void print(VerifiedDevice verified, boolean limitGiven, PrintWriter out) {
    DeviceVerification device = verified.verification();
    WrappedText.printLine(
        out, verified.file() + ", device " + device.device() + ": " + verdict(verified));
    device.firstDivergence().ifPresent(first -> print(first, limitGiven, out));
    print("final segments and blocks that differ:", device.layoutDifferences(), out);
    print("statistics that differ:", verified.statisticsDifferences(), out);
    print(
        "statistics that differ by calls that leave no event, such as an empty_cache() that"
            + " released nothing:",
        verified.statisticsUndecided(),
        out);
    InferenceText.print(device.inferences(), verified.snapshot().notes(), out, "  ");
  }

  private static String verdict(VerifiedDevice verified) {
    DeviceVerification device = verified.verification();
    String of = " of " + Numbers.count(device.eventsRecorded(), "event");
    if (device.firstDivergence().isPresent()) {
      return "diverged at event "
          + Numbers.count(device.firstDivergence().get().index())
          + of
          + " (counted from 0)";
    }
    String matched = Numbers.count(device.eventsMatched()) + of;
    if (!verified.exact()) {
      return "all events as recorded (" + matched + "), but the state at the end differs";
    }
    String statistics =
        verified.statisticsCompared() == 0
            ? ""
            : ", " + Numbers.count(verified.statisticsCompared(), "statistic");
    return "exact ("
        + matched
        + ", all segments and blocks at the end"
        + statistics
        + (device.completeHistory() ? ")" : "; the history begins in the middle of the run)");
  }

  private static void print(Divergence divergence, boolean limitGiven, PrintWriter out) {
    out.println("  recorded   " + orNothing(divergence.expected()));
    out.println("  simulated  " + orNothing(divergence.actual()));
    out.println("  around it:");
    divergence.context().forEach(line -> out.println("    " + line));
    if (!limitGiven) {
      out.println(
          "  Snapshots do not hold the memory fraction: if the program set one, give it with"
              + " --memory-fraction.");
    }
  }

  private static String orNothing(String event) {
    return event.isEmpty() ? "(nothing more)" : event;
  }

  private static void print(String heading, List<String> lines, PrintWriter out) {
    if (lines.isEmpty()) {
      return;
    }
    out.println("  " + heading);
    lines.stream().limit(LINES_SHOWN).forEach(line -> out.println("    " + line));
    if (lines.size() > LINES_SHOWN) {
      out.println(
          "    and " + Numbers.count(lines.size() - LINES_SHOWN) + " more; --json FILE has all");
    }
  }
}
