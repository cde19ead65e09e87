package org.allocsim.reports.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.document.render.TerminalRenderer;
import org.allocsim.reports.text.TerminalWriter;
import org.junit.jupiter.api.Test;

/** What a description of quantities promises. */
class ShapeTest {
  private static <T> Document<T> document(Shape<T> shape, T content) {
    Table<T> table = Table.of("Rows", shape, List.of(content));
    Kind<T> kind = new Kind<>("test", "test --json", "A test.", shape);
    Section section = new Section(null, List.of(table));
    return new Document<>(kind, "test", null, List.of(section), table, content);
  }

  @Test
  void aKeyEndsAsItsUnitAsks() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Shape.<Long>of(row -> row.bytes("peak_seconds", "Peak.", each -> each)));
    assertThrows(
        IllegalArgumentException.class,
        () -> Shape.<Long>of(row -> row.bytes("peak", "Peak.", each -> each)));
    assertThrows(
        IllegalArgumentException.class,
        () -> Shape.<Long>of(row -> row.count("peak_bytes", "Peak.", each -> each)));
  }

  @Test
  void aKeyStandsOnce() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Shape.<Long>of(row -> row.count("a", "A.", each -> each).count("a", "B.", e -> e)));
  }

  @Test
  void aFigureIsMissingOnlyWhereItsDescriptionSaysSo() {
    Shape<Long> never = Shape.of(row -> row.count("a", "A.", _ -> null));
    assertThrows(IllegalStateException.class, () -> JsonRenderer.json(document(never, 1L)));
    Shape<Long> some = Shape.of(row -> row.count("a", "A.", _ -> null).missing("it is gone"));
    Map<String, Object> json = JsonRenderer.json(document(some, 1L));
    assertTrue(json.containsKey("a"));
    assertEquals(null, json.get("a"));
    String schema = JsonRenderer.schema(document(some, 1L).kind()).toString();
    assertTrue(schema.contains("description=A; null if it is gone."), schema);
    assertTrue(schema.contains("type=[integer, null]"), schema);
  }

  @Test
  void aNarrowTerminalLeavesOutTheColumnsOfTheHighestRank() {
    Shape<Long> shape =
        Shape.of(row ->
            row.text("name", "name", "Name.", _ -> "a-name-of-some-length")
                .bytes("first_bytes", "first", "First.", each -> each)
                .rank(1)
                .bytes("second_bytes", "second", "Second.", each -> each)
                .rank(2)
                .bytes("third_bytes", "third", "Third.", each -> each));
    StringWriter text = new StringWriter();
    try (PrintWriter out = new TerminalWriter(text, 44)) {
      TerminalRenderer.print(document(shape, 5L << 30), out);
    }
    assertEquals(
        """
        name                      first     third
        a-name-of-some-length  5.00 GiB  5.00 GiB
        Too wide for a line: second; --csv FILE has
        all.
        """,
        text.toString());
  }

  @Test
  void aColumnThatNoRowHasIsNotShownWhereItIsOptional() {
    Shape<Long> shape =
        Shape.of(row ->
            row.count("a", "some", "A.", each -> each)
                .count("b", "none", "B.", _ -> null)
                .optional()
                .missing("always"));
    Document<Long> document = document(shape, 1L);
    assertEquals(
        List.of("some"),
        document.tables().getFirst().readable().stream().map(Column::label).toList());
  }

  @Test
  void partsMayStandUnderNames() {
    Shape<Long> part = Shape.of(row -> row.bytes("bytes", "Size.", each -> each));
    Shape<Long> shape =
        Shape.of(
            row -> row.named(part, "parts", "Parts.", "A part.", each -> Map.of("some", each)));
    Map<String, Object> json = JsonRenderer.json(document(shape, 5L));
    assertEquals(Map.of("some", Map.of("bytes", 5L)), json.get("parts"));
    String schema = JsonRenderer.schema(document(shape, 5L).kind()).toString();
    assertTrue(schema.contains("properties={bytes={description=Size., type=integer}}"), schema);
  }

  @Test
  void theVerdictHasOneShapeInAllAnswers() {
    Shape<Long> own = Shape.of(row -> row.text("verdict", "A word.", _ -> "FULL"));
    assertThrows(IllegalStateException.class, () -> JsonRenderer.json(document(own, 5L)));
  }

  @Test
  void paperKeepsTheFirstRows() {
    Shape<Long> shape = Shape.of(row -> row.count("a", "some", "A.", each -> each));
    Table<Long> table =
        Table.of("Rows", shape, List.of(1_000L, 2_000L, 3_000L))
            .first(2, new Table.More("row", "see the file"));
    assertEquals(List.of(1_000L, 2_000L), table.shown());
    assertEquals("1 more row; see the file.", table.others());
  }

  @Test
  void notesWithoutAHeadingAreParagraphsAndEmptyOnesAreNotThere() {
    Section section =
        new Section(
            null,
            List.of(
                Notes.of(null, List.of("Alone.")),
                Notes.of("none", List.of()),
                Notes.of("some", List.of("One."))));
    StringWriter text = new StringWriter();
    TerminalRenderer.print(
        new Document<>(null, "test", null, List.of(section), Map.of(), 1L),
        new PrintWriter(text, true));
    assertEquals("Alone.\n\nsome:\n  - One.\n", text.toString());
  }

  @Test
  void aSentenceHasAPlaceForEveryValue() {
    assertEquals(
        "it holds 1.00 KiB, 50.0 % of 2 things",
        Sentence.of(
                "it holds {}, {} of {} things",
                Quantity.bytes(1024),
                Quantity.share(1, 2),
                Quantity.count(2))
            .toString());
    assertThrows(IllegalArgumentException.class, () -> Sentence.of("{}", 1, 2));
    assertThrows(IllegalArgumentException.class, () -> Sentence.of("{} {}", 1));
  }
}
