package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.List;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.validation.gpu.TogetherResult;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.jspecify.annotations.Nullable;

/**
 * Processes that ran together on a real GPU, beside the simulation.
 *
 * @param date the day of the run
 * @param driverVersion the driver's own version, null where it is not known
 * @param gpu the GPU
 * @param result what came of them
 * @param seconds wall time of the run
 */
public record TogetherAnswer(
    String date,
    @Nullable String driverVersion,
    CudaDevice.Identity gpu,
    TogetherResult result,
    double seconds) {

  private static final Shape<TogetherResult.OneProcess> ROWS =
      Shape.of(row ->
          row.term(Columns.TRACE, "process", TogetherResult.OneProcess::trace)
              .term(Columns.POLICY, "allocator", TogetherResult.OneProcess::policy)
              .bytes(
                  "context_bytes",
                  "context",
                  "GPU memory of its context; for the first process this includes the memory"
                      + " that the driver keeps.",
                  TogetherResult.OneProcess::contextBytes)
              .rank(1)
              .bytes(
                  "unusable_bytes",
                  "Free bytes that it cannot use.",
                  TogetherResult.OneProcess::unusableBytes)
              .count(
                  "measured_calls",
                  "calls",
                  "Calls of its allocator on the GPU.",
                  TogetherResult.OneProcess::measuredCalls)
              .count(
                  "predicted_calls",
                  "Calls in the simulation.",
                  TogetherResult.OneProcess::predictedCalls)
              .count(
                  "equal_calls",
                  "equal",
                  "Calls at the start that agree in kind, size and outcome.",
                  TogetherResult.OneProcess::equalCalls)
              .count(
                  "failed_calls",
                  "failed",
                  "Failed calls among them.",
                  TogetherResult.OneProcess::refusedCalls)
              .count(
                  "free_bytes_compared",
                  "Free-byte figures compared.",
                  each -> each.freeBytes().compared())
              .count(
                  "free_bytes_exact",
                  "free bytes equal",
                  "Free-byte figures that are equal.",
                  each -> each.freeBytes().exact())
              .bytes(
                  "free_bytes_max_error_bytes",
                  "largest error",
                  "The largest difference of free bytes.",
                  each -> each.freeBytes().maxError())
              .rank(2)
              .count(
                  "measured_failures",
                  "failed",
                  "Requests that failed on the GPU.",
                  TogetherResult.OneProcess::measuredFailures)
              .count(
                  "predicted_failures",
                  "Requests that failed in the simulation.",
                  TogetherResult.OneProcess::predictedFailures)
              .flag(
                  "same_failures",
                  "Whether the same requests failed.",
                  TogetherResult.OneProcess::sameFailures)
              .term(
                  Columns.FIRST_DIFFERENCE,
                  "difference",
                  TogetherResult.OneProcess::firstDifference)
              .missing("nothing differs")
              .optional());

  public static final Kind<TogetherAnswer> KIND =
      new Kind<>(
          "validate-together",
          "validate together --json",
          "What `allocsim validate together --json` writes: processes on one GPU, real and"
              + " simulated.",
          Shape.of(answer ->
              answer
                  .text("date", "Day of the run.", TogetherAnswer::date)
                  .text("gpu", "Name of the GPU.", each -> each.gpu().name())
                  .text("driver", "Version of its driver.", TogetherAnswer::driverVersion)
                  .missing("it is not known")
                  .term(Columns.TOTAL_BYTES, each -> each.result().totalBytes())
                  .bytes(
                      "free_bytes",
                      "Free memory when the processes started, after their contexts.",
                      each -> each.result().freeBytes())
                  .count(
                      "turns",
                      "Number of switches from one process to another.",
                      each -> each.result().turns())
                  .flag(
                      "exact",
                      "Whether calls, failed calls, free bytes and failed requests match the"
                          + " prediction.",
                      each -> each.result().isExact())
                  .many(
                      "processes",
                      "One entry for each process.",
                      ROWS,
                      each -> each.result().processes())
                  .seconds("wall_seconds", "Time of the run.", TogetherAnswer::seconds)));

  public Document<TogetherAnswer> document() {
    Facts facts =
        Facts.none()
            .and("GPU", "{}, {}", gpu.name(), bytes(result.totalBytes()))
            .and("free at the start", "{}", bytes(result.freeBytes()))
            .and("turns", "{}", result.turns());
    Table<TogetherResult.OneProcess> table =
        Table.of("Processes", ROWS, result.processes()).at("/processes");
    Notes notes =
        Notes.of(
            null,
            List.of(
                "Only one process runs at a time, so that the order of requests is that of the"
                    + " simulation."));
    boolean exact = result.isExact();
    return new Document<>(
        KIND,
        gpu.name(),
        new Verdict(
            exact ? Tone.GOOD : Tone.BAD,
            exact
                ? Sentence.of(
                    "Calls, failed calls, free bytes and failed requests of all {} processes"
                        + " match the prediction.",
                    result.processes().size())
                : Sentence.of("Some results differ from the prediction.")),
        List.of(new Section(null, List.of(facts, table, notes))),
        table,
        this);
  }
}
