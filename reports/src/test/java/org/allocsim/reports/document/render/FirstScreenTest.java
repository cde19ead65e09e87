package org.allocsim.reports.document.render;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.text.TerminalWriter;
import org.junit.jupiter.api.Test;

class FirstScreenTest {
  private static final Shape<Long> SHAPE =
      Shape.of(row ->
          row.text("name", "name", "Name.", each -> "a.py:" + each + " row < b.py:1 main")
              .count("count", "count", "Count.", each -> each)
              .rank(1));

  private static Table<Long> rows(int count) {
    return Table.of("Rows", SHAPE, LongStream.range(0, count).boxed().toList());
  }

  private static Document<Long> document(int details, Block... blocks) {
    Kind<Long> kind = new Kind<>("test", "test --json", "A test.", SHAPE);
    List<Sentence> facts =
        IntStream.range(0, details).mapToObj(each -> Sentence.of("detail {}", "" + each)).toList();
    Verdict verdict = new Verdict(Verdict.Tone.NEUTRAL, Sentence.of("The answer."), facts);
    List<Section> sections = List.of(new Section(null, List.of(blocks)));
    return new Document<>(kind, "test", verdict, sections, rows(1), 1L);
  }

  private static String first(int columns, Document<?> document) {
    StringWriter text = new StringWriter();
    try (PrintWriter out = new TerminalWriter(text, columns)) {
      TerminalRenderer.printFirst(document, out);
    }
    return text.toString();
  }

  private static String whole(Document<?> document) {
    StringWriter text = new StringWriter();
    try (PrintWriter out = new TerminalWriter(text, 80)) {
      TerminalRenderer.print(document, out);
    }
    return text.toString();
  }

  @Test
  void whatFitsIsPrintedWhole() {
    Document<Long> document = document(3, rows(10));
    assertEquals(whole(document), first(80, document));
    assertTrue(first(80, document).contains("a.py:9 row < b.py:1 main"));
  }

  @Test
  void everyRowIsPrintedWhereThatIsAsked() {
    Table.More more = new Table.More("row", "--json FILE has all");
    Document<Long> document = document(0, rows(500).first(20, more));
    assertTrue(whole(document).contains("480 more rows; --json FILE has all."), whole(document));
    StringWriter text = new StringWriter();
    try (PrintWriter out = new TerminalWriter(text, 80)) {
      TerminalRenderer.printEveryRow(document, out);
    }
    assertEquals(whole(document(0, rows(500))), text.toString());
  }

  @Test
  void whatNobodyReadsOnAScreenIsPrintedWhole() {
    Document<Long> document = document(3, rows(500));
    assertEquals(whole(document), first(Integer.MAX_VALUE, document));
  }

  @Test
  void aLongTableHasTenRowsWithTheEssentialOnesAndTheInnermostFrames() {
    Document<Long> document = document(0, rows(100).withEssential(each -> each == 99));
    assertEquals(
        """
        The answer.

        name         count
        a.py:0 row       0
        a.py:1 row       1
        a.py:2 row       2
        a.py:3 row       3
        a.py:4 row       4
        a.py:5 row       5
        a.py:6 row       6
        a.py:7 row       7
        a.py:8 row       8
        a.py:99 row     99

        90 more lines; --all shows everything.
        """,
        first(80, document));
  }

  @Test
  void columnsThatCanBeSparedGoBeforeTextIsWrapped() {
    assertTrue(first(16, document(0, rows(100))).contains("\nname\na.py:0 row\na.py:1 row\n"));
  }

  @Test
  void aLongVerdictKeepsItsLastDetail() {
    String text = first(80, document(40, rows(3)));
    assertTrue(text.contains("- detail 12\n- detail 39\n"), text);
    assertTrue(text.endsWith("\n26 more lines; --all shows everything.\n"), text);
    assertTrue(text.contains("a.py:2 row"), text);
  }

  @Test
  void whatIsShortStillFitsAfterWhatIsLong() {
    Notes many = Notes.of("many", IntStream.range(0, 40).mapToObj(each -> "note " + each).toList());
    String text = first(80, document(0, many, Notes.of("few", List.of("short"))));
    assertTrue(text.contains("many:\n  - note 0\n"), text);
    assertTrue(text.endsWith(" more lines; --all shows everything.\n"), text);
    Notes longest = Notes.of("long", List.of("word ".repeat(500)));
    text = first(80, document(0, longest, Notes.of("few", List.of("short"))));
    assertTrue(text.contains("few:\n  - short\n"), text);
    assertTrue(text.endsWith(" more lines, among them long; --all shows everything.\n"), text);
  }

  @Test
  void aHeadingIsNeverAlone() {
    Table<Long> none = rows(40).first(0, new Table.More("row", "word ".repeat(600)));
    Kind<Long> kind = new Kind<>("test", "test --json", "A test.", SHAPE);
    Document<Long> document =
        new Document<>(
            kind,
            "test",
            new Verdict(Verdict.Tone.NEUTRAL, Sentence.of("The answer.")),
            List.of(new Section("Where and when", List.of(none))),
            rows(1),
            1L);
    assertTrue(!first(80, document).contains("Where and when"), first(80, document));
  }

  @Test
  void nothingIsLongerThanAScreen() {
    for (int details = 0; details < 40; details++) {
      for (int count = 1; count < 40; count++) {
        String text = first(80, document(details, rows(count), rows(count), rows(3)));
        assertTrue(text.lines().count() <= 30, text);
      }
    }
  }
}
