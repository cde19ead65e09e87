package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.document.Quantity.count;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.MemoryParts;
import org.allocsim.reports.answer.part.MemoryParts.Part;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.SlackParts;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.simulator.run.FailedRequest;

/**
 * A program at a moment: what answers about moments have in common.
 *
 * @param program the program
 * @param moment its memory at the moment
 */
public record ProgramMoment(ReplayedProgram program, MemoryMoment moment) {
  /** Which program it is and how it was replayed. */
  static final Shape<ReplayedProgram> PROGRAM =
      Shape.of(program ->
          program
              .embed(Recorded.file(ReplayedProgram::name, ReplayedProgram::sha256))
              .term(Columns.CONF, ReplayedProgram::conf)
              .term(Columns.DEVICE_NUMBER, ReplayedProgram::device)
              .text(
                  "addresses",
                  "Source of addresses: recorded, or simulated as the driver would assign them.",
                  ReplayedProgram::addresses)
              .missing("the program was not replayed")
              .embed(Recorded.inferences(ReplayedProgram::inferences))
              .embed(Recorded.notes(ReplayedProgram::notes)));

  private static final Shape<ProgramMoment> MOMENT =
      Shape.of(at ->
          at.text(
                  "kind",
                  "Which moment: peak_allocated, peak_reserved, peak_requested, first_oom, end or"
                      + " request.",
                  each -> each.moment().kind().name().toLowerCase(Locale.ROOT))
              .count(
                  "request_index",
                  "Index of the allocation request, from 0; -1 before the first.",
                  each -> each.moment().requestIndex())
              .nanos(
                  "elapsed_nanos",
                  "Time since the start of the history.",
                  each -> each.moment().elapsedNanos())
              .text(
                  "stream",
                  "Handle of the requesting stream.",
                  each -> each.program().stream(each.moment().stream()))
              .term(Columns.REQUESTED_BYTES, each -> each.moment().bytes().requestedBytes())
              .bytes(
                  "rounding_bytes",
                  "Allocated minus requested.",
                  each -> each.moment().bytes().roundingBytes())
              .bytes(
                  "allocated_bytes",
                  "Blocks that the program holds, after rounding.",
                  each -> each.moment().bytes().allocatedBytes())
              .term(Columns.RESERVED_BYTES, each -> each.moment().bytes().reservedBytes())
              .bytes(
                  "slack_bytes",
                  "Reserved minus allocated.",
                  each -> each.moment().bytes().slackBytes())
              .one(
                  "slack",
                  "The slack, by what can be done about it.",
                  SlackParts.SHAPE,
                  each -> each.moment().slack())
              .bytes(
                  "failed_request_bytes",
                  "Size of the failed request.",
                  each ->
                      each.moment().failure() == null
                          ? null
                          : each.moment().failure().requestedBytes())
              .missing("no request failed at the moment"));

  static final Shape<ProgramMoment> SHAPE =
      Shape.of(at ->
          at.embed(PROGRAM, ProgramMoment::program).one("moment", "The moment.", MOMENT, e -> e));

  /** What the program holds, in groups; the labels of stacks have so many frames at most. */
  public LiveSet live(LiveSet.By by, int frames, Attribution attribution) {
    return LiveSet.of(
        moment,
        program.origins(),
        by,
        frames,
        allocation ->
            attribution.category(allocation) == Category.UNKNOWN
                ? ""
                : attribution.category(allocation).label());
  }

  /** The program's name without folders. */
  String title() {
    return String.valueOf(Path.of(program.name()).getFileName());
  }

  /** File, GPU and moment. */
  Sentence name() {
    return Sentence.of("{}: device {}, {}", program.name(), program.device(), sentence());
  }

  /** File, settings and moment. */
  Facts facts() {
    return Facts.none()
        .and("trace", "{}: device {}", program.name(), program.device())
        .and(
            "replay",
            "PYTORCH_CUDA_ALLOC_CONF=\"{}\", {}",
            program.conf(),
            program.isEndOnly() ? "not replayed" : "addresses " + program.addresses())
        .and("moment", "{}", sentence());
  }

  private Sentence sentence() {
    String phrase = moment.kind().phrase();
    if (program.isEndOnly()) {
      return Sentence.of("{}", phrase);
    }
    if (moment.requestIndex() < 0) {
      return Sentence.of("{}, before the first allocation request", phrase);
    }
    FailedRequest failed = moment.failure();
    return Sentence.of(
        "{}{}{}{}{}",
        phrase,
        failed != null ? ": " : ", after ",
        failed != null
            ? FirstFailure.named(failed, program.landmarks().orElseThrow().setup().trace())
            : Sentence.of("request {}", count(moment.requestIndex())),
        moment.elapsedNanos() > 0
            ? ", " + Numbers.seconds(moment.elapsedNanos()) + " after the start"
            : "",
        failed != null ? ", asked for " + Numbers.bytes(failed.requestedBytes()) : "");
  }

  /** Reserved memory and its parts, with slack split. */
  Table<Part> memory() {
    List<Part> parts = new ArrayList<>();
    MemoryMoment.Totals bytes = moment.bytes();
    parts.add(new Part("requested by the program", bytes.requestedBytes(), null));
    parts.add(new Part("+ lost to rounding", bytes.roundingBytes(), null));
    parts.add(new Part("= allocated", bytes.allocatedBytes(), null));
    MomentText.forEachPart(
        moment.slack(),
        moment.slack(),
        "streams other than " + program.stream(moment.stream()),
        (name, part, _) -> parts.add(new Part(name, part, null)));
    parts.add(new Part("= reserved", bytes.reservedBytes(), null));
    return MemoryParts.table("where reserved memory goes", parts);
  }

  /** What was inferred, and what the reader of results should know. */
  List<Block> notes() {
    return List.of(Recorded.inferred(program.inferences()), Notes.of("notes", program.notes()));
  }
}
