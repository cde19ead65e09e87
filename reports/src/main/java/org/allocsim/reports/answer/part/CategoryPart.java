package org.allocsim.reports.answer.part;

import org.allocsim.analysis.attribution.CategoryTotals;
import org.allocsim.analysis.attribution.CategoryTotals.Row;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;

/** What memory is for, in answers. */
public final class CategoryPart {
  public static final Shape<Row> SHAPE = shape(0);

  private CategoryPart() {}

  private static Shape<Row> shape(long wholeBytes) {
    return Shape.of(row ->
        row.term(Columns.ALLOCATED_BYTES, "allocated", each -> each.group().blockBytes())
            .shown(
                Unit.RATIO,
                "share",
                "Fraction of allocated memory.",
                each -> Quantity.share(each.group().blockBytes(), wholeBytes))
            .term(Columns.REQUESTED_BYTES, each -> each.group().requestedBytes())
            .term(Columns.BLOCKS, "blocks", each -> each.group().blocks())
            .bytes("recorded_bytes", "Part of it named by a recorder.", Row::recordedBytes)
            .shown(
                Unit.BYTES,
                "recorded",
                "The same.",
                each -> each.recordedBytes() == 0 ? null : Quantity.bytes(each.recordedBytes()))
            .optional()
            .bytes("stack_bytes", "by stack", "Part of it identified by stack.", Row::stackBytes)
            .bytes(
                "inferred_bytes",
                "inferred",
                "Part of it inferred from allocation and free times.",
                Row::inferredBytes)
            .text(
                "category",
                "Name: parameter, gradient, optimizer_state, saved_activation, temporary,"
                    + " workspace, communication, input or unknown.",
                each -> each.category().id())
            .shown(
                Unit.TEXT, "used for", "The same, for display.", each -> each.category().label()));
  }

  public static Table<Row> table(CategoryTotals totals) {
    long whole = totals.rows().stream().mapToLong(row -> row.group().blockBytes()).sum();
    return Table.of("What the memory is used for", shape(whole), totals.rows());
  }
}
