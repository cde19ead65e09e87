package org.allocsim.reports.answer.part;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.workloads.format.pytorch.derive.Inference;

/** What a recording says, and what had to be inferred because it does not. */
public final class Recorded {
  private static final Shape<Inference> INFERENCE =
      Shape.of(inference ->
          inference
              .term(Columns.DEVICE_NUMBER, Inference::device)
              .text("subject", "What was inferred.", Inference::subject)
              .term(Columns.COUNT, Inference::count)
              .text(
                  "confidence",
                  "Confidence: certain, likely or guess.",
                  each -> each.confidence().toString().toLowerCase(Locale.ROOT))
              .text("reason", "Evidence for it.", Inference::reason));

  private Recorded() {}

  /** The columns {@code file} and {@code sha256}. */
  public static <R> Shape<R> file(
      Function<? super R, String> name, Function<? super R, String> sha256) {
    return Shape.of(trace ->
        trace
            .term(Columns.FILE, name)
            .term(Columns.SHA256, sha256)
            .missing("the trace is a synthetic program"));
  }

  /** The column {@code torch_settings}, of what {@link RecordingMaps#settings} gives. */
  public static <R> Shape<R> settings(Function<R, Map<String, Object>> settings) {
    return Shape.of(row ->
        row.named(
            Unit.ANY,
            "torch_settings",
            "Allocator settings in the recording; empty if it has none.",
            "A setting, under PyTorch's name.",
            settings));
  }

  /** The column {@code notes}. */
  public static <R> Shape<R> notes(Function<R, List<String>> notes) {
    return Shape.of(
        row -> row.texts("notes", "Notes on what the reader skipped or changed.", notes));
  }

  /** The column {@code inferences}. */
  public static <R> Shape<R> inferences(Function<R, List<Inference>> inferences) {
    return Shape.of(row ->
        row.many(
            "inferences",
            "What was inferred because the recording does not say.",
            INFERENCE,
            inferences));
  }

  /** What was inferred, as people read it. */
  public static Notes inferred(List<Inference> inferences) {
    return Notes.of(
        "inferred (not in the recording)", inferences.stream().map(InferenceText::line).toList());
  }
}
