package org.allocsim.reports.answer.validation;

import static org.allocsim.reports.document.Quantity.count;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.RecordingMaps;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verbatim;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.validation.fidelity.Divergence;
import org.jspecify.annotations.Nullable;

/**
 * Whether the simulation repeats recordings.
 *
 * @param devices what was verified
 * @param unreadable files that could not be read
 * @param isLimitGiven whether the user gave a limit; a missing one often explains a divergence
 */
public record VerifyAnswer(
    List<VerifiedDevice> devices, List<Unreadable> unreadable, boolean isLimitGiven) {
  /** What follows a single event is certain whatever the allocator does. */
  private static final long MIN_EVENTS = 2;

  private static final int LINES_SHOWN = 10;
  private static final String EXACT = "none does";

  /**
   * A file that could not be read.
   *
   * @param file name as the user gave it
   * @param error why, in a sentence
   */
  public record Unreadable(String file, String error) {}

  private record Place(VerifiedDevice device, Divergence divergence) {
    private static @Nullable Place of(VerifiedDevice device) {
      return device.verification().firstDivergence().map(it -> new Place(device, it)).orElse(null);
    }
  }

  private static final Shape<VerifiedDevice> TRACE =
      Shape.of(trace ->
          trace
              .term(Columns.FILE, VerifiedDevice::file)
              .term(Columns.SHA256, each -> each.snapshot().sha256())
              .term(Columns.EVENTS, each -> each.snapshot().eventCount())
              .embed(Recorded.settings(each -> RecordingMaps.settings(each.snapshot()))));

  private static final Shape<Place> DIVERGENCE =
      Shape.of(divergence ->
          divergence
              .term(Columns.FILE, each -> each.device().file())
              .term(Columns.DEVICE_INDEX, each -> each.device().verification().device())
              .count("index", "Index of the event, from 0.", each -> each.divergence().index())
              .text(
                  "expected",
                  "The recorded event; empty past the end of the recording.",
                  each -> each.divergence().expected())
              .text(
                  "actual",
                  "The simulated event; empty past the end of the simulation.",
                  each -> each.divergence().actual())
              .texts("context", "The events around it.", each -> each.divergence().context()));

  private static final Shape<VerifiedDevice> FIGURES =
      Shape.of(figures ->
          figures
              .term(Columns.DEVICE_INDEX, each -> each.verification().device())
              .term(Columns.EVENTS_RECORDED, each -> each.verification().eventsRecorded())
              .term(Columns.EVENTS_MATCHED, each -> each.verification().eventsMatched())
              .term(Columns.EXACT, VerifiedDevice::exact)
              .term(Columns.STATISTICS_COMPARED, VerifiedDevice::statisticsCompared)
              .flag(
                  "complete_history",
                  "Whether the history begins before the first allocation.",
                  each -> each.verification().completeHistory())
              .term(Columns.WALL_SECONDS_OF_FILE, VerifiedDevice::seconds));

  private static final Shape<VerifiedDevice> RESULT =
      Shape.<VerifiedDevice>of(result -> result.one("trace", "The trace.", TRACE, each -> each))
          .and(result ->
              result
                  .embed(FIGURES)
                  .one("first_divergence", "The first event that differs.", DIVERGENCE, Place::of)
                  .missing(EXACT)
                  .texts(
                      "layout_differences",
                      "Segments and blocks at the end that differ.",
                      each -> each.verification().layoutDifferences())
                  .texts(
                      "statistics_differences",
                      "Statistics that differ.",
                      VerifiedDevice::statisticsDifferences)
                  .texts(
                      "statistics_undecided",
                      "Statistics that differ because of calls that leave no event.",
                      VerifiedDevice::statisticsUndecided)
                  .named(
                      Unit.COUNT,
                      "stats",
                      "Counters, named as in torch.cuda.memory_stats().",
                      "A counter of `torch.cuda.memory_stats()`.",
                      each -> each.verification().statistics())
                  .embed(Recorded.inferences(each -> each.verification().inferences()))
                  .embed(Recorded.notes(each -> each.snapshot().notes())));

  private static final Shape<Unreadable> UNREADABLE =
      Shape.of(
          file -> file.term(Columns.FILE, Unreadable::file).term(Columns.ERROR, Unreadable::error));

  public static final Kind<VerifyAnswer> KIND =
      new Kind<>(
          "verify",
          "verify --json",
          "What `allocsim verify --json` writes: whether the simulation repeats recordings.",
          Shape.of(answer ->
              answer
                  .term(Columns.EVENTS_RECORDED, VerifyAnswer::eventsRecorded)
                  .term(Columns.EVENTS_MATCHED, VerifyAnswer::eventsMatched)
                  .term(Columns.EXACT, VerifyAnswer::isExact)
                  .one(
                      "first_divergence",
                      "The first event that differs.",
                      DIVERGENCE,
                      each ->
                          each.devices().stream()
                              .map(Place::of)
                              .filter(Objects::nonNull)
                              .findFirst()
                              .orElse(null))
                  .missing(EXACT)
                  .many(
                      "results",
                      "One entry for each device of each file.",
                      RESULT,
                      VerifyAnswer::devices)
                  .many(
                      "unreadable",
                      "Files that could not be read.",
                      UNREADABLE,
                      VerifyAnswer::unreadable)));

  /** Whether every file could be read and all that could be compared agrees. */
  public boolean isExact() {
    return unreadable.isEmpty() && devices.stream().allMatch(VerifiedDevice::exact);
  }

  private long eventsRecorded() {
    return devices.stream().mapToLong(each -> each.verification().eventsRecorded()).sum();
  }

  private long eventsMatched() {
    return devices.stream().mapToLong(each -> each.verification().eventsMatched()).sum();
  }

  public Document<VerifyAnswer> document() {
    boolean isOne = devices.size() == 1 && unreadable.isEmpty();
    List<Section> sections = new ArrayList<>();
    for (VerifiedDevice device : devices) {
      String place = device.file() + ", device " + device.verification().device();
      List<Block> blocks = blocks(device);
      if (isOne) {
        blocks.addFirst(Facts.none().and("trace", "{}", place));
      }
      sections.add(new Section(isOne ? null : place + ": " + found(device), blocks));
    }
    sections.add(
        new Section(
            null,
            List.of(
                Notes.of(
                    "files that could not be read",
                    unreadable.stream().map(Unreadable::error).toList()))));
    sections.removeIf(section -> section.title() == null && section.blocks().isEmpty());
    return new Document<>(
        KIND,
        isOne
            ? String.valueOf(Path.of(devices.getFirst().file()).getFileName())
            : count(devices.size(), "device").toString(),
        new Verdict(
            isExact() ? Tone.GOOD : Tone.BAD, isOne ? found(devices.getFirst()) : summary()),
        sections,
        Table.of("Devices", TRACE.and(row -> row.embed(FIGURES)), devices),
        this);
  }

  private Sentence summary() {
    return Sentence.of(
        "{}: {} of {} as recorded, {} of {} exact.",
        isExact() ? "Exact" : "Not exact",
        count(eventsMatched()),
        count(eventsRecorded(), "event"),
        count(devices.stream().filter(VerifiedDevice::exact).count()),
        count(devices.size(), "device"));
  }

  private static Sentence found(VerifiedDevice verified) {
    var device = verified.verification();
    Sentence events = count(device.eventsRecorded(), "event");
    if (device.firstDivergence().isPresent()) {
      return Sentence.of(
          "diverged at event {} of {} (counted from 0)",
          count(device.firstDivergence().get().index()),
          events);
    }
    Sentence matched = Sentence.of("{} of {}", count(device.eventsMatched()), events);
    if (!verified.exact()) {
      return Sentence.of("all events as recorded ({}), but the state at the end differs", matched);
    }
    if (device.eventsRecorded() < MIN_EVENTS) {
      return Sentence.of("as recorded ({}), too few to show that it is exact", matched);
    }
    return Sentence.of(
        "exact ({}, all segments and blocks at the end{}{})",
        matched,
        verified.statisticsCompared() == 0
            ? ""
            : Sentence.of(", {}", count(verified.statisticsCompared(), "statistic")),
        device.completeHistory() ? "" : "; the history begins in the middle of the run");
  }

  private List<Block> blocks(VerifiedDevice verified) {
    var device = verified.verification();
    List<Block> blocks = new ArrayList<>();
    device
        .firstDivergence()
        .ifPresent(first -> {
          blocks.add(
              Facts.none()
                  .and("recorded", "{}", orNothing(first.expected()))
                  .and("simulated", "{}", orNothing(first.actual())));
          blocks.add(new Verbatim("around it:\n  " + String.join("\n  ", first.context())));
          if (!isLimitGiven) {
            blocks.add(
                Notes.of(
                    null,
                    List.of(
                        "Snapshots do not record the memory fraction: if the program set one,"
                            + " give it with --memory-fraction.")));
          }
        });
    blocks.add(list("final segments and blocks that differ", device.layoutDifferences()));
    blocks.add(list("statistics that differ", verified.statisticsDifferences()));
    blocks.add(
        list(
            "statistics that differ because of calls that leave no event, such as an"
                + " empty_cache() that released nothing",
            verified.statisticsUndecided()));
    blocks.add(Recorded.inferred(device.inferences()));
    blocks.add(Notes.of("notes", verified.snapshot().notes()));
    return blocks;
  }

  private static String orNothing(String event) {
    return event.isEmpty() ? "(nothing more)" : event;
  }

  private static Notes list(String heading, List<String> lines) {
    int others = lines.size() - LINES_SHOWN;
    return Notes.of(
        heading,
        Stream.concat(
                lines.stream().limit(LINES_SHOWN),
                others > 0
                    ? Stream.of("and " + count(others) + " more; --json FILE has all")
                    : Stream.empty())
            .toList());
  }
}
