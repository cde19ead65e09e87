package org.allocsim.reports.answer.diagnosis;

import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.oom.GpuAccount;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.oom.OomMessage;
import org.allocsim.analysis.oom.OomSettings;
import org.allocsim.analysis.oom.OomVerdict;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;

/** Prints the explanations of out-of-memory messages. */
public final class ExplainOomText {
  private static final String INDENT = "  ";

  private ExplainOomText() {}

  public static void print(
      String name,
      OomLog.Contents contents,
      OomSettings settings,
      List<OomExplanation> explanations,
      int show,
      PrintWriter out) {
    int shown = Math.min(show, explanations.size());
    for (int i = 0; i < shown; i++) {
      if (i > 0) {
        out.println();
      }
      print(explanations.get(i), contents.found().get(i), name, out);
    }
    if (explanations.size() > 1) {
      out.println();
      printCounts(contents, explanations, out);
    }
    printNotes(contents, settings, explanations.size() - shown, out);
  }

  private static void print(
      OomExplanation explanation, OomLog.Found found, String name, PrintWriter out) {
    WrappedText.print(out, explanation.verdict().word() + "  ", INDENT, explanation.headline());
    out.println(INDENT + FailureReport.oneLine(place(explanation.message(), found, name)));
    explanation
        .account()
        .ifPresent(account -> {
          out.println();
          printAccount(account, out);
        });
    if (!explanation.equation().isEmpty()) {
      out.println();
      WrappedText.print(out, INDENT, INDENT + INDENT, explanation.equation());
    }
    printList("Also", explanation.findings(), out);
    printList("Can help", explanation.helps(), out);
    printList("Cannot help", explanation.cannotHelp(), out);
  }

  private static String place(OomMessage message, OomLog.Found found, String name) {
    StringBuilder text = new StringBuilder(name).append(", line ").append(found.line());
    if (!found.source().isEmpty()) {
      text.append(", ").append(found.source());
    }
    if (message.deviceIndex() >= 0) {
      text.append(", GPU ").append(message.deviceIndex());
    }
    if (found.count() > 1) {
      text.append(", ").append(Numbers.count(found.count(), "time"));
    }
    return text.append("; words of ").append(message.wording().versions()).toString();
  }

  private static void printAccount(GpuAccount account, PrintWriter out) {
    boolean split = account.parts().stream().anyMatch(GpuAccount.Part::within);
    TextTable table =
        split
            ? TextTable.of("where the GPU's memory is", ">" + account.unit(), ">of it", "printed")
            : TextTable.of("where the GPU's memory is", ">" + account.unit(), "printed");
    for (GpuAccount.Part part : account.parts()) {
      String size = GpuAccount.text(part.hundredths());
      if (!split) {
        table.row(part.name(), size, part.printed());
      } else if (part.within()) {
        table.row(INDENT + part.name(), "", size, part.printed());
      } else {
        table.row(part.name(), size, "", part.printed());
      }
    }
    String total = GpuAccount.text(account.totalHundredths());
    if (split) {
      table.row("= GPU", total, "", "");
    } else {
      table.row("= GPU", total, "");
    }
    table.print(out, INDENT);
  }

  private static void printList(String title, List<String> items, PrintWriter out) {
    if (items.isEmpty()) {
      return;
    }
    out.println();
    out.println(INDENT + title + ":");
    items.forEach(item -> WrappedText.printItem(out, INDENT, item));
  }

  private static void printCounts(
      OomLog.Contents contents, List<OomExplanation> explanations, PrintWriter out) {
    Map<OomVerdict, long[]> counts = new EnumMap<>(OomVerdict.class);
    for (int i = 0; i < explanations.size(); i++) {
      long[] count = counts.computeIfAbsent(explanations.get(i).verdict(), _ -> new long[2]);
      count[0]++;
      count[1] += contents.found().get(i).count();
    }
    TextTable table = TextTable.of("verdict", ">different messages", ">times");
    counts.forEach((verdict, count) ->
        table.row(verdict.word(), Numbers.count(count[0]), Numbers.count(count[1])));
    table.print(out, "");
  }

  private static void printNotes(
      OomLog.Contents contents, OomSettings settings, int hidden, PrintWriter out) {
    if (hidden > 0) {
      out.println();
      out.println(
          Numbers.count(hidden, "more different message")
              + " explained on demand: --show N, or --json FILE for all.");
    }
    if (contents.left() > 0) {
      out.println();
      out.println(
          Numbers.count(contents.left(), "message")
              + " left out: there are more than "
              + Numbers.count(OomLog.MAX_DISTINCT)
              + " different ones.");
    }
    if (contents.bare().count() > 0) {
      out.println();
      out.println(
          Numbers.count(contents.bare().count(), "mention")
              + " of memory that ran out, without numbers, the first in line "
              + contents.bare().firstLine()
              + ".");
    }
    if (settings.isKnown()) {
      out.println();
      WrappedText.print(
          out,
          "",
          "",
          "Settings of the run, "
              + settings.origin()
              + ": "
              + FailureReport.oneLine(settings.text()));
    }
  }
}
