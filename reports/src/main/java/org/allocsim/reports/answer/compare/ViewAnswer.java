package org.allocsim.reports.answer.compare;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.run.FailedRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the page of {@code view} says of its traces before it shows them.
 *
 * @param compared the figures of the traces that it shows
 * @param withoutRequests names of the traces that have nothing to show
 */
public record ViewAnswer(CompareAnswer compared, List<String> withoutRequests) {
  /** The answer as JSON: that of {@code compare}, and what is not shown. */
  public static final Kind<ViewAnswer> KIND =
      new Kind<>(
          "view",
          "view --json",
          "What `allocsim view --json` writes: the figures of the runs on its page.",
          Shape.of(answer ->
              answer
                  .embed(CompareAnswer.KIND.shape(), ViewAnswer::compared)
                  .texts(
                      "without_requests",
                      "Names of traces without requests, which the page omits.",
                      ViewAnswer::withoutRequests)));

  public Document<ViewAnswer> document() {
    Document<CompareAnswer> shown = compared.document();
    List<Sentence> details =
        Stream.concat(
                failures(),
                withoutRequests.stream()
                    .map(
                        name -> Sentence.of("{} is not shown: it has no recorded requests.", name)))
            .toList();
    return new Document<>(
        KIND,
        shown.title(),
        new Verdict(
            compared.traces().stream().anyMatch(each -> failure(each) != null)
                ? Verdict.Tone.BAD
                : Verdict.Tone.NEUTRAL,
            finding(compared.traces()),
            details),
        shown.sections(),
        shown.csv(),
        this);
  }

  private static Sentence finding(List<ComparedTrace> traces) {
    Comparator<ComparedTrace> byPeak = Comparator.comparingLong(ViewAnswer::peakBytes);
    ComparedTrace most = traces.stream().max(byPeak).orElseThrow();
    FailedRequest failure = failure(most);
    if (traces.size() == 1 && failure != null) {
      return Sentence.of(
          "Out of memory: {} asked for {}; at most {} of {} were reserved.",
          FirstFailure.named(failure, most.trace()),
          bytes(failure.requestedBytes()),
          bytes(peakBytes(most)),
          bytes(most.recordedConditions().maxBytes()));
    }
    if (traces.size() == 1) {
      return Sentence.of("{} reserves {} at its peak.", most.shortName(), bytes(peakBytes(most)));
    }
    ComparedTrace least = traces.stream().min(byPeak).orElseThrow();
    return Sentence.of(
        "{} reserves the most, {} at its peak; {} the least, {}.",
        name(most, traces),
        bytes(peakBytes(most)),
        name(least, traces),
        bytes(peakBytes(least)));
  }

  /** Which of several traces run out of memory. */
  private Stream<Sentence> failures() {
    List<ComparedTrace> traces = compared.traces();
    return traces.stream()
        .filter(each -> traces.size() > 1 && failure(each) != null)
        .map(each -> Sentence.of("{} runs out of memory.", name(each, traces)));
  }

  private static @Nullable FailedRequest failure(ComparedTrace trace) {
    return trace.results().getFirst().firstFailure().orElse(null);
  }

  /** The file's name, and the GPU where several are in one file. */
  private static String name(ComparedTrace trace, List<ComparedTrace> traces) {
    boolean isAlone = traces.stream().filter(each -> each.file().equals(trace.file())).count() == 1;
    return isAlone
        ? trace.shortName()
        : "GPU %d of %s".formatted(trace.device(), trace.shortName());
  }

  private static long peakBytes(ComparedTrace trace) {
    return trace.results().getFirst().peakReservedBytes();
  }
}
