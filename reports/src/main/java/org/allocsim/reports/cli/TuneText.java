package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import org.allocsim.reports.advice.LintFinding;
import org.allocsim.reports.advice.Tuning;
import org.allocsim.reports.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.ByteFormat;

/** Prints what a search for settings found: the verdict, a line to paste, the table. */
final class TuneText {
  /** Columns that are left out where lines are short, the first one first. */
  private static final List<String> EXPENDABLE =
      List.of("forced syncs", "driver calls", "driver time", "slack at peak", "a step");

  private final TuneReport report;
  private final Tuning tuning;
  private final PrintWriter out;

  private TuneText(TuneReport report, PrintWriter out) {
    this.report = report;
    this.tuning = report.tuning();
    this.out = out;
  }

  static void print(TuneReport report, int top, PrintWriter out) {
    TuneText text = new TuneText(report, out);
    text.printVerdict();
    out.println();
    text.printHeader();
    out.println();
    text.printTable(top);
    text.printNotes();
  }

  private void printVerdict() {
    Optional<Tuning.Entry> best = tuning.recommended();
    if (tuning.isHopeless()) {
      sentence(
          "No setting helps: the program holds "
              + Numbers.bytes(tuning.demand().peakRequestedBytes())
              + " at its peak, and the allocator can have "
              + Numbers.bytes(tuning.plain().scenario().mostBytes())
              + ".");
    } else if (tuning.allFail()) {
      sentence(
          "Every setting that was tried runs out of memory, though the program holds no more than "
              + Numbers.bytes(tuning.demand().peakRequestedBytes())
              + " at its peak, of "
              + Numbers.bytes(tuning.plain().scenario().mostBytes())
              + ".");
    }
    if (tuning.isHopeless()) {
      return;
    }
    if (best.isPresent()) {
      sentence(gain(best.get()));
      sentence(cost(best.get()));
      out.println();
      out.println("  " + ConfText.paste(best.get().conf(), report.version()));
    } else if (!tuning.allFail()) {
      sentence(
          "Keep the recorded settings, "
              + ConfText.name(tuning.recorded().conf())
              + ": no other one that is safe lowers the peak of "
              + ByteFormat.human(tuning.recorded().result().peakReservedBytes())
              + " by more than 1 %.");
    }
  }

  private String gain(Tuning.Entry best) {
    RunResult before = tuning.recorded().result();
    RunResult after = best.result();
    String under = ConfText.name(best.conf());
    String recorded = "the recorded settings, " + ConfText.name(tuning.recorded().conf()) + ",";
    if (after.passes() && !before.passes()) {
      return under
          + " serves every request; under "
          + recorded
          + " "
          + failure(before.firstFailure().orElseThrow())
          + ". It reserves "
          + ByteFormat.human(after.peakReservedBytes())
          + " at its peak.";
    }
    if (!after.passes()) {
      return under
          + " gets furthest: "
          + failure(after.firstFailure().orElseThrow())
          + "; under "
          + recorded
          + " "
          + failure(before.firstFailure().orElseThrow())
          + ".";
    }
    long saved = before.peakReservedBytes() - after.peakReservedBytes();
    return under
        + " reserves "
        + ByteFormat.human(after.peakReservedBytes())
        + " at its peak, "
        + ByteFormat.human(saved)
        + " ("
        + Numbers.share(saved, before.peakReservedBytes())
        + ") less than "
        + recorded
        + " with "
        + ByteFormat.human(before.peakReservedBytes())
        + ".";
  }

  private String failure(FailedRequest failed) {
    if (failed.requestIndex() < 0) {
      return "what the program held before its history does not fit";
    }
    return "request "
        + Numbers.count(failed.requestIndex())
        + " for "
        + ByteFormat.human(failed.requestedBytes())
        + " fails";
  }

  private String cost(Tuning.Entry best) {
    RunResult before = tuning.recorded().result();
    RunResult after = best.result();
    return "Cost: "
        + Numbers.count(after.driverCalls(), "driver call")
        + " instead of "
        + Numbers.count(before.driverCalls())
        + (before.passes() ? "" : " up to its failure")
        + ", "
        + Numbers.count(after.forcedSynchronizations(), "forced synchronisation")
        + " instead of "
        + Numbers.count(before.forcedSynchronizations())
        + ", "
        + Numbers.seconds(after.driverNanos())
        + " in the driver instead of "
        + Numbers.seconds(before.driverNanos())
        + perStep(tuning.recorded(), best)
        + " (modelled, without waiting for the device).";
  }

  private static String perStep(Tuning.Entry before, Tuning.Entry after) {
    return before.nanosPerStep() < 0 || after.nanosPerStep() < 0
        ? ""
        : ", "
            + Numbers.millis(after.nanosPerStep())
            + " a step instead of "
            + Numbers.millis(before.nanosPerStep());
  }

  private void printHeader() {
    WrappedText.printField(
        out,
        "trace   ",
        report.file()
            + ": "
            + Numbers.count(report.events(), "event")
            + " of device "
            + report.deviceIndex());
    WrappedText.printField(
        out, "policy  ", "pytorch " + report.version().id() + " on " + report.platform().label());
    WrappedText.printField(
        out,
        "device  ",
        report.profile().name()
            + ", "
            + ByteFormat.human(report.profile().capacityBytes())
            + " for the program"
            + (report.limitBytes() < 0
                ? ", no limit"
                : ", limit " + Numbers.bytes(report.limitBytes())));
    WrappedText.printField(
        out,
        "bounds  ",
        "the program asks for "
            + ByteFormat.human(tuning.demand().peakRequestedBytes())
            + " at its peak; no setting reserves less");
    WrappedText.printField(
        out,
        "steps   ",
        tuning
            .steps()
            .map(steps -> Numbers.count(steps.count()) + ", by " + steps.name())
            .orElse("none found; driver time is of the whole program"));
  }

  /** Verdict, line to paste, and table for a pull request. */
  static void printMarkdown(TuneReport report, int top, PrintWriter out) {
    TuneText text = new TuneText(report, out);
    text.printVerdict();
    out.println();
    text.table(top).printMarkdown(out);
  }

  private void printTable(int top) {
    TextTable table = table(top);
    table.expendable("--csv FILE has all", EXPENDABLE).print(out, "");
    int hidden = tuning.ranked().size() - table.rowCount();
    if (hidden > 0) {
      out.println(Numbers.count(hidden, "more setting") + "; --top 0 shows all.");
    }
  }

  private TextTable table(int top) {
    boolean steps = tuning.steps().isPresent();
    List<String> headings =
        new ArrayList<>(
            List.of(
                ">rank",
                "setting",
                "out of memory",
                ">peak reserved",
                ">slack at peak",
                ">driver calls",
                ">forced syncs",
                ">driver time"));
    if (steps) {
      headings.add(">a step");
    }
    headings.add("note");
    TextTable table = TextTable.of(headings.toArray(String[]::new));
    List<Tuning.Entry> ranked = tuning.ranked();
    for (int i = 0; i < ranked.size(); i++) {
      Tuning.Entry entry = ranked.get(i);
      boolean landmark = isSetting(entry, tuning.recorded()) || isSetting(entry, tuning.plain());
      if (top == 0 || i < top || landmark) {
        RunResult result = entry.result();
        List<Object> cells =
            new ArrayList<>(
                List.of(
                    i + 1,
                    ConfText.name(entry.conf()),
                    result.firstFailure().map(oom -> "at " + at(oom)).orElse("no"),
                    ByteFormat.human(result.peakReservedBytes()),
                    ByteFormat.human(result.slackAtPeakBytes()),
                    Numbers.count(result.driverCalls()),
                    Numbers.count(result.forcedSynchronizations()),
                    Numbers.seconds(result.driverNanos())));
        if (steps) {
          cells.add(entry.nanosPerStep() < 0 ? "-" : Numbers.millis(entry.nanosPerStep()));
        }
        cells.add(note(entry));
        table.row(cells.toArray());
      }
    }
    return table;
  }

  private static String at(FailedRequest failed) {
    return failed.requestIndex() < 0
        ? "the start"
        : "request " + Numbers.count(failed.requestIndex());
  }

  private static boolean isSetting(Tuning.Entry entry, Tuning.Entry other) {
    return entry.conf().equals(other.conf());
  }

  private String note(Tuning.Entry entry) {
    List<String> notes = new ArrayList<>();
    if (tuning.recommended().filter(best -> isSetting(entry, best)).isPresent()) {
      notes.add("recommended");
    }
    if (isSetting(entry, tuning.recorded())) {
      notes.add("recorded");
    }
    if (entry.sameAsPlain()) {
      notes.add("same as default");
    }
    for (LintFinding finding : entry.findings()) {
      notes.add(finding.kind().label());
    }
    return String.join(", ", notes);
  }

  private void printNotes() {
    SequencedSet<String> messages = new LinkedHashSet<>();
    for (Tuning.Entry entry : tuning.ranked()) {
      for (LintFinding finding : entry.findings()) {
        messages.add(finding.kind().label() + ": " + finding.message());
      }
    }
    tuning
        .leftOut()
        .forEach((reason, confs) ->
            messages.add(
                "not tried: " + Numbers.count(confs.size(), "setting") + ", because " + reason));
    if (!messages.isEmpty()) {
      out.println();
      out.println("notes:");
      messages.forEach(message -> WrappedText.printItem(out, "  ", message));
    }
  }

  private void sentence(String text) {
    WrappedText.print(out, "", "", text);
  }
}
