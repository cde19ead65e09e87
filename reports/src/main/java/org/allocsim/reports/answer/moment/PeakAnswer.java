package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.document.Unit.COUNT;
import static org.allocsim.reports.document.Unit.RATIO;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryTotals;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.CategoryPart;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * What fills the memory of a program at its peak.
 *
 * @param at the program at its peak
 * @param live what it holds
 * @param attribution what its memory is for
 * @param top maximum number of groups on paper
 */
public record PeakAnswer(ProgramMoment at, LiveSet live, Attribution attribution, int top) {
  public static final Kind<PeakAnswer> KIND =
      new Kind<>(
          "peak",
          "peak --json",
          "What `allocsim peak --json` writes: what fills the memory at a moment.",
          Shape.of(answer ->
              answer
                  .embed(ProgramMoment.SHAPE, PeakAnswer::at)
                  .term(Columns.BY, PeakAnswer::by)
                  .many("groups", "The groups, largest first.", groups("", 0), PeakAnswer::groups)
                  .one("unknown", "Memory in no group.", groups("", 0), each -> each.live.unknown())
                  .one(
                      "pending_free",
                      "Freed memory still in use on another stream.",
                      groups("", 0),
                      each -> each.live.awaiting())
                  .many(
                      "categories",
                      "Memory by category; adds up to allocated memory.",
                      CategoryPart.SHAPE,
                      each -> each.categories().rows())));

  /** The same by category. */
  public CategoryTotals categories() {
    return CategoryTotals.of(at.moment(), attribution);
  }

  private static Shape<Group> groups(String heading, long wholeBytes) {
    return Shape.of(group ->
        group
            .term(Columns.ALLOCATED_BYTES, "allocated", Group::blockBytes)
            .shown(COUNT, "bytes", "The same, exactly.", Group::blockBytes)
            .rank(2)
            .term(Columns.REQUESTED_BYTES, Group::requestedBytes)
            .shown(COUNT, "requested", "Bytes the program requested.", Group::requestedBytes)
            .rank(1)
            .shown(
                RATIO,
                "share",
                "Fraction of allocated memory.",
                each -> Quantity.share(each.blockBytes(), wholeBytes))
            .term(Columns.BLOCKS, "blocks", Group::blocks)
            .text("label", heading, "What the blocks have in common.", Group::label));
  }

  /** What groups share, as the heading of their column. */
  static String heading(LiveSet.By by) {
    return switch (by) {
      case STACK -> "allocated at, innermost frame first";
      case SIZE -> "requested size";
      case PHASE -> "allocated in phase";
      case CATEGORY -> "used for";
    };
  }

  /** The groups from the given one on, added up. */
  static Group rest(List<Group> groups, int from) {
    Group none = new Group(Numbers.count(groups.size() - from) + " more", 0, 0, 0);
    return groups.stream().skip(from).reduce(none, Group::plus);
  }

  private String by() {
    return live.by().name().toLowerCase(Locale.ROOT);
  }

  private List<Group> groups() {
    return live.groups();
  }

  public Document<PeakAnswer> document() {
    Shape<Group> shape = groups(heading(live.by()), live.allocated().blockBytes());
    List<Block> blocks = new ArrayList<>();
    blocks.add(at.facts());
    Table<Group> held = Table.of("What the program holds", shape, rows());
    Set<Group> essential = Set.of(live.unknown(), live.allocated());
    blocks.add(held.withEssential(essential::contains));
    if (live.by() != LiveSet.By.CATEGORY) {
      blocks.add(CategoryPart.table(categories()));
    }
    blocks.add(at.memory());
    blocks.addAll(at.notes());
    List<Group> all =
        Stream.concat(groups().stream(), Stream.of(live.unknown(), live.awaiting())).toList();
    return new Document<>(
        KIND,
        at.title(),
        verdict(),
        List.of(new Section(null, blocks)),
        Table.of("Groups", shape, all),
        this);
  }

  private Verdict verdict() {
    Sentence held =
        Sentence.of(
            "The program holds {} of {} reserved {}.",
            ByteFormat.human(at.moment().bytes().allocatedBytes()),
            ByteFormat.human(at.moment().bytes().reservedBytes()),
            at.moment().kind().phrase());
    return new Verdict(Verdict.Tone.NEUTRAL, held, List.of());
  }

  private List<Group> rows() {
    List<Group> rows = new ArrayList<>(groups().stream().limit(top).toList());
    if (groups().size() > top) {
      rows.add(rest(groups(), top));
    }
    if (live.unknown().blocks() > 0 || live.by() == LiveSet.By.STACK) {
      rows.add(live.unknown());
    }
    rows.add(live.allocated());
    if (live.awaiting().blocks() > 0) {
      rows.add(live.awaiting());
    }
    return rows;
  }
}
