package org.allocsim.reports.answer.moment;

import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.stream.Stream;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentFinder;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * A program that was replayed once and can be looked at in any moment.
 *
 * @param name the file's name as it was given
 * @param sha256 digest of the file; null where there is none
 * @param streamHandles handles of streams by their number
 * @param conf the settings that it was replayed under
 * @param device the recorded GPU that is looked at
 * @param inferences what was inferred about the recording
 * @param notes what the reader of results should know
 * @param origins where allocations come from
 * @param known what can be looked at
 */
public record ReplayedProgram(
    String name,
    @Nullable String sha256,
    IntToLongFunction streamHandles,
    String conf,
    int device,
    List<Inference> inferences,
    List<String> notes,
    Origins origins,
    Known known) {
  /** What of a program can be looked at. */
  public sealed interface Known {}

  /**
   * Any moment.
   *
   * @param landmarks what the first pass found
   * @param input the program, with what its recorder knew of it
   */
  public record History(Landmarks landmarks, DeviceTrace input) implements Known {}

  /** Only the end, as a snapshot without a history shows it. */
  public record End(MemoryMoment moment) implements Known {}

  /** The same with more for the reader of results to know. */
  ReplayedProgram withNotes(List<String> more) {
    List<String> all = Stream.concat(notes.stream(), more.stream()).toList();
    return new ReplayedProgram(
        name, sha256, streamHandles, conf, device, inferences, all, origins, known);
  }

  /** Where addresses come from: recorded or modelled; null where it was not replayed. */
  @Nullable String addresses() {
    return landmarks()
        .map(each -> each.hasRecordedAddresses() ? "recorded" : "modelled")
        .orElse(null);
  }

  /** Whether only the end is known. */
  boolean isEndOnly() {
    return known instanceof End;
  }

  /** What the first pass found; there is none where only the end is known. */
  public Optional<Landmarks> landmarks() {
    return known instanceof History(var landmarks, _) ? Optional.of(landmarks) : Optional.empty();
  }

  /** What each allocation is for; unknown where only the end is known. */
  public Attribution attribution(CategoryRules rules) {
    return switch (known) {
      case End(var moment) -> Attribution.unknown(moment.layout());
      case History(_, var input) -> Attribution.of(input, rules);
    };
  }

  /** The program's steps, as {@code leaks} finds them; empty where it has none. */
  public Optional<Iterations> steps() {
    return landmarks()
        .flatMap(each -> {
          try {
            return Optional.of(new IterationFinder(each.program().input().trace(), device).any());
          } catch (IterationException _) {
            return Optional.empty();
          }
        });
  }

  /** Handle of a stream, as text. */
  String stream(int stream) {
    return "0x" + Long.toHexString(streamHandles.applyAsLong(stream));
  }

  /**
   * The memory at a moment.
   *
   * @param query the moment, or null for the first failed request or else the peak
   * @throws Failure where the program has no such moment
   */
  public MemoryMoment at(@Nullable MomentQuery query) {
    return switch (known) {
      case End(var moment) -> {
        if (query != null && query.kind() != MomentQuery.Kind.END) {
          throw new Failure(
              name
                  + ": the snapshot holds segments but no history of events, so only --at end can"
                  + " be answered; record with torch.cuda.memory._record_memory_history()");
        }
        yield moment;
      }
      case History(var landmarks, _) ->
          at(landmarks, query != null ? query : landmarks.failureOrPeak());
    };
  }

  private MemoryMoment at(Landmarks landmarks, MomentQuery wanted) {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      return MomentFinder.at(landmarks, wanted, origins, progress::update)
          .orElseThrow(() -> missing(landmarks, wanted));
    }
  }

  /** The memory at a peak, or at the end where only that is known. */
  public MemoryMoment peak(MomentQuery query) {
    return known instanceof End(var moment) ? moment : at(query);
  }

  private Failure missing(Landmarks landmarks, MomentQuery query) {
    if (query.kind() == MomentQuery.Kind.REQUEST) {
      return Failure.usage(
          "--at %s: %s has %s, counted from 0; name one of them"
              .formatted(
                  query.request(),
                  name,
                  Numbers.count(landmarks.requests(), "allocation request")));
    }
    return new Failure(
        name
            + ": --at oom needs a failed request, and every request succeeds in this replay;"
            + " choose --at peak, or a limit with --memory-limit");
  }
}
