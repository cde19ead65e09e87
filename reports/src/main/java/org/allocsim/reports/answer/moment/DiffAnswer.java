package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.document.Unit.BYTES;
import static org.allocsim.reports.document.Unit.COUNT;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.analysis.moment.PeakDifference.Row;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * How the peaks of two programs differ.
 *
 * @param before the first program at its peak
 * @param after the second program at its peak
 * @param difference what differs
 * @param top maximum number of groups on paper
 */
public record DiffAnswer(
    ProgramMoment before, ProgramMoment after, PeakDifference difference, int top) {
  private static final Shape<Row> ROWS = rows("", "");

  public static final Kind<DiffAnswer> KIND =
      new Kind<>(
          "diff",
          "diff --json",
          "What `allocsim diff --json` writes: two programs at their peaks.",
          Shape.of(answer ->
              answer
                  .one("before", "The first program.", ProgramMoment.SHAPE, DiffAnswer::before)
                  .one("after", "The second program.", ProgramMoment.SHAPE, DiffAnswer::after)
                  .term(Columns.RESERVED_CHANGE_BYTES, each -> each.difference.reservedBytes())
                  .term(Columns.PROGRAM_CHANGE_BYTES, each -> each.difference.programBytes())
                  .term(Columns.ALLOCATOR_CHANGE_BYTES, each -> each.difference.allocatorBytes())
                  .term(Columns.ROUNDING_CHANGE_BYTES, each -> each.difference.roundingBytes())
                  .term(Columns.SLACK_CHANGE_BYTES, each -> each.difference.slackBytes())
                  .term(Columns.BY, each -> each.difference.by().name().toLowerCase(Locale.ROOT))
                  .many(
                      "groups",
                      "The groups, largest change first.",
                      ROWS,
                      each -> each.difference.rows())
                  .one("unknown", "Memory in no group.", ROWS, each -> each.difference.unknown())));

  private static Shape<Row> rows(String before, String heading) {
    return Shape.of(row ->
        row.bytes(
                "before_requested_bytes",
                before,
                "Value in the first program.",
                each -> each.before().requestedBytes())
            .bytes(
                "after_requested_bytes",
                "after",
                "Value in the second program.",
                each -> each.after().requestedBytes())
            .shown(
                BYTES,
                "change",
                "The second minus the first.",
                each -> signed(each.requestedBytes()))
            .shown(COUNT, "bytes", "The same, exactly.", each -> signedCount(each.requestedBytes()))
            .bytes(
                "before_allocated_bytes",
                "Size of these blocks in the first program.",
                each -> each.before().blockBytes())
            .bytes(
                "after_allocated_bytes",
                "Size of these blocks in the second program.",
                each -> each.after().blockBytes())
            .count("before_blocks", "Blocks of the first program.", each -> each.before().blocks())
            .count("after_blocks", "Blocks of the second program.", each -> each.after().blocks())
            .text("label", heading, "What it is.", Row::label));
  }

  /** A change in words. */
  public static String signed(long bytes) {
    return (bytes > 0 ? "+" : "") + ByteFormat.human(bytes);
  }

  private static String signedCount(long bytes) {
    return (bytes > 0 ? "+" : "") + Numbers.count(bytes);
  }

  public Document<DiffAnswer> document() {
    Table<Row> groups =
        Table.of(
            "What the programs hold",
            rows("requested before", PeakAnswer.heading(difference.by())),
            groups());
    List<Section> sections = new ArrayList<>();
    sections.add(
        new Section(
            null,
            List.of(
                Facts.none().and("before", "{}", before.name()).and("after", "{}", after.name()),
                Table.of("Parts", rows("before", "part of reserved memory"), parts()),
                groups)));
    for (ProgramMoment each : List.of(before, after)) {
      Section notes = new Section("About " + each.program().name(), each.notes());
      if (!notes.blocks().isEmpty()) {
        sections.add(notes);
      }
    }
    List<Row> all = new ArrayList<>(difference.rows());
    all.add(difference.unknown());
    return new Document<>(
        KIND,
        before.title() + " and " + after.title(),
        verdict(),
        sections,
        Table.of("Groups", groups.shape(), all),
        this);
  }

  private Verdict verdict() {
    return Verdict.ofText(
        Verdict.Tone.NEUTRAL,
        "Reserved memory changes by %s: %s by the program, %s by the allocator."
            .formatted(
                signed(difference.reservedBytes()),
                signed(difference.programBytes()),
                signed(difference.allocatorBytes())),
        List.of(),
        null);
  }

  private List<Row> groups() {
    List<Row> rows = new ArrayList<>(difference.rows().stream().limit(top).toList());
    if (difference.rows().size() > top) {
      rows.add(
          new Row(
              PeakAnswer.rest(difference.rows().stream().map(Row::before).toList(), top),
              PeakAnswer.rest(difference.rows().stream().map(Row::after).toList(), top)));
    }
    if (difference.unknown().before().blocks() + difference.unknown().after().blocks() > 0) {
      rows.add(difference.unknown());
    }
    rows.add(requested("requested"));
    return rows;
  }

  private Row requested(String label) {
    return row(
        label,
        difference.before().bytes().requestedBytes(),
        difference.after().bytes().requestedBytes());
  }

  private static Row row(String label, long before, long after) {
    return new Row(new Group(label, 0, before, 0), new Group(label, 0, after, 0));
  }

  private List<Row> parts() {
    MemoryMoment.Totals first = difference.before().bytes();
    MemoryMoment.Totals second = difference.after().bytes();
    SlackSplit one = difference.before().slack();
    SlackSplit two = difference.after().slack();
    List<Row> parts = new ArrayList<>();
    parts.add(requested("program: requested"));
    parts.add(row("allocator: rounding", first.roundingBytes(), second.roundingBytes()));
    MomentText.forEachPart(
        one,
        two,
        "other streams",
        (name, before, after) -> parts.add(row("allocator: " + name.substring(2), before, after)));
    parts.add(row("reserved", first.reservedBytes(), second.reservedBytes()));
    return parts;
  }
}
