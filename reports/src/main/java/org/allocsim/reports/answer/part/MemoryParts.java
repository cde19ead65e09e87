package org.allocsim.reports.answer.part;

import static org.allocsim.reports.document.Unit.BYTES;
import static org.allocsim.reports.document.Unit.COUNT;
import static org.allocsim.reports.document.Unit.RATIO;
import static org.allocsim.reports.document.Unit.TEXT;

import java.util.List;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.jspecify.annotations.Nullable;

/** Parts of memory that add up. */
public final class MemoryParts {
  private MemoryParts() {}

  /**
   * A part, or a sum of those before it.
   *
   * @param name what it is
   * @param bytes its size
   * @param source where the figure comes from; null where no part has a source
   */
  public record Part(String name, long bytes, @Nullable String source) {}

  /**
   * A table of parts; the last one is the whole.
   *
   * @param caption what is split
   */
  public static Table<Part> table(String caption, List<Part> parts) {
    long wholeBytes = parts.getLast().bytes();
    return Table.of(
        caption,
        Shape.of(part ->
            part.shown(TEXT, caption, "The part.", Part::name)
                .shown(BYTES, "size", "Its size.", Part::bytes)
                .shown(COUNT, "bytes", "Its size, exactly.", Part::bytes)
                .shown(
                    RATIO,
                    "share",
                    "Fraction of the whole.",
                    each -> Quantity.share(each.bytes(), wholeBytes))
                .shown(TEXT, "according to", "Where the figure comes from.", Part::source)
                .optional()),
        parts);
  }
}
