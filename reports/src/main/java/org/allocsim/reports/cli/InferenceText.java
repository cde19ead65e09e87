package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.List;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.workloads.format.pytorch.derive.Inference;

/** Prints what a recording does not say and was concluded, and what was passed over in it. */
final class InferenceText {
  private InferenceText() {}

  /** Prints both lists, each under its heading; nothing where a list is empty. */
  static void print(
      List<Inference> inferences, List<String> notes, PrintWriter out, String indent) {
    if (!inferences.isEmpty()) {
      out.println(indent + "concluded, as the recording does not say it:");
      inferences.forEach(each -> WrappedText.printItem(out, indent + "  ", Recording.line(each)));
    }
    if (!notes.isEmpty()) {
      out.println(indent + "notes:");
      notes.forEach(note -> WrappedText.printItem(out, indent + "  ", note));
    }
  }
}
