package org.allocsim.reports.answer.part;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.source.DeviceTrace;

/** Prints what a recording does not say and was inferred, and what was passed over in it. */
public final class InferenceText {
  private InferenceText() {}

  static String line(Inference inference) {
    return "%s: %s (%s; %s)"
        .formatted(
            inference.subject(),
            Numbers.count(inference.count()),
            inference.confidence().toString().toLowerCase(Locale.ROOT),
            inference.reason());
  }

  /** What the reader of a trace says, and after it what was inferred about its device. */
  public static List<String> notes(DeviceTrace trace) {
    List<String> notes = new ArrayList<>(trace.notes());
    trace.inferences().forEach(inference -> notes.add(line(inference)));
    return notes;
  }
}
