package org.allocsim.reports.answer.part;

import java.util.function.Function;
import org.allocsim.analysis.moment.CodeLine;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jspecify.annotations.Nullable;

/** The first request of a run that failed. */
public final class FirstFailure {
  private FirstFailure() {}

  /**
   * Its columns.
   *
   * @param first the failure of a row; null where none failed
   */
  public static <R> Shape<R> of(Function<R, FailedRequest> first) {
    return Shape.of(row ->
        row.count(
                "first_failed_request_index",
                "Index of the first failed allocation request, from 0; -1 for one that recreates"
                    + " memory from before the recording.",
                each -> first.apply(each) == null ? null : first.apply(each).requestIndex())
            .missing("no request failed")
            .bytes(
                "first_failed_request_bytes",
                "Bytes it requested.",
                each -> first.apply(each) == null ? null : first.apply(each).requestedBytes())
            .missing("no request failed"));
  }

  /** Where a run failed first, for a table; "no" where nothing did. */
  public static Sentence at(@Nullable FailedRequest first) {
    if (first == null) {
      return Sentence.of("no");
    }
    return first.requestIndex() < 0
        ? Sentence.of("at the start ({})", Quantity.bytes(first.requestedBytes()))
        : Sentence.of(
            "at request {} ({})",
            Quantity.count(first.requestIndex()),
            Quantity.bytes(first.requestedBytes()));
  }

  /** That the first failed request of a run fails, as a part of a sentence. */
  public static Sentence fails(RunResult result) {
    FailedRequest first = result.failures().getFirst();
    return first.requestIndex() < 0
        ? Sentence.of("the memory held before the recording does not fit")
        : Sentence.of(
            "{} fails to get {}",
            named(first, result.setup().trace()),
            Quantity.bytes(first.requestedBytes()));
  }

  /** A request as programmers know it: by its line, with its number behind; or by its number. */
  public static Sentence named(FailedRequest failed, AllocationTrace trace) {
    Quantity number = Quantity.count(failed.requestIndex());
    return CodeLine.at(trace, failed.row())
        .map(line -> Sentence.of("{} (request {})", FailureReport.oneLine(line.text()), number))
        .orElseGet(() -> Sentence.of("request {}", number));
  }
}
