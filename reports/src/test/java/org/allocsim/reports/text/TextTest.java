package org.allocsim.reports.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Consumer;
import org.allocsim.analysis.text.Numbers;
import org.junit.jupiter.api.Test;

class TextTest {
  @Test
  void tablesAlignNumbersRightAndTextLeft() {
    TextTable table = TextTable.of("name", ">bytes").row("a", 5).row("longer", "1 024");
    assertEquals(
        "  name    bytes\n  a           5\n  longer  1 024\n",
        print(out -> table.print(out, "  ")));
  }

  @Test
  void everyRowHasACellForEachHeading() {
    assertThrows(IllegalArgumentException.class, () -> TextTable.of("a", "b").row("only one"));
  }

  @Test
  void numbersAreForPeople() {
    assertEquals("1 234 567", Numbers.count(1_234_567));
    assertEquals("1 event", Numbers.count(1, "event"));
    assertEquals("0 events", Numbers.count(0, "event"));
    assertEquals("512 B", Numbers.bytes(512));
    assertEquals("1.50 KiB (1 536 B)", Numbers.bytes(1536));
    assertEquals("33.3 %", Numbers.share(1, 3));
    assertEquals("-", Numbers.share(0, 0));
    assertEquals("-", Numbers.percent(Double.NaN));
    assertEquals("1.235 s", Numbers.seconds(1_234_567_890L));
  }

  @Test
  void sentencesWrapBelowTheirFirstWord() {
    String word = "x".repeat(60);
    assertEquals(
        "  - " + word + " a\n    " + word + "\n",
        print(out -> WrappedText.printItem(out, "  ", word + " a " + word)));
  }

  @Test
  void aWordThatIsTooLongStandsAlone() {
    String word = "y".repeat(200);
    assertEquals("- " + word + "\n", print(out -> WrappedText.printItem(out, "", word)));
  }

  private static String print(Consumer<PrintWriter> printing) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    printing.accept(out);
    out.flush();
    return text.toString().replace(System.lineSeparator(), "\n");
  }
}
