package org.allocsim.reports.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static final List<String> EXPENDABLE = List.of("calls", "bytes");

  private static TextTable table() {
    return TextTable.of("name", ">bytes", ">number of calls", "note")
        .row("first", "1.00 GiB", "12", "what happened to it and why")
        .row("second_with,long_name", "20.00 GiB", "3", "");
  }

  private static String within(int columns, TextTable table) {
    StringWriter text = new StringWriter();
    PrintWriter out = columns == 0 ? new PrintWriter(text) : new TerminalWriter(text, columns);
    table.print(out, "");
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  @Test
  void whatIsNoTerminalGetsEveryRowOnALine() {
    assertEquals(
        """
        name                       bytes  number of calls  note
        first                   1.00 GiB               12  what happened to it and why
        second_with,long_name  20.00 GiB                3
        """,
        within(0, table().expendable("ask", EXPENDABLE)));
    assertEquals(within(0, table()), within(79, table()));
  }

  @Test
  void headingsAndTextAreWrappedBeforeAColumnIsLeftOut() {
    assertEquals(
        """
                                          number
                                              of
        name                       bytes   calls  note
        first                   1.00 GiB      12  what happened to it
                                                  and why
        second_with,long_name  20.00 GiB       3
        """,
        within(63, table().expendable("ask", EXPENDABLE)));
  }

  @Test
  void expendableColumnsGoInTheirOrderAndAreNamed() {
    assertEquals(
        """
        name                   note
        first                  what happened to
                               it and why
        second_with,long_name
        Too wide for a line: number of calls,
        bytes; ask.
        """,
        within(40, table().expendable("ask", List.of("number of calls", "bytes"))));
  }

  @Test
  void longWordsAreBrokenLast() {
    String text = within(24, table().expendable("ask", List.of("number of calls", "bytes")));
    assertTrue(text.contains("second_with,\nlong_name"), text);
    assertTrue(text.lines().allMatch(line -> line.length() <= 26), text);
  }

  @Test
  void aColumnKeepsTheWidthThatIsAskedForWhileOthersCanGive() {
    TextTable table = TextTable.of("a", "b").row("one two three four", "five six seven eight nine");
    assertEquals(18 + 2 + 20, widest(within(40, table)));
    String kept = within(40, table.atLeast("b", 25));
    assertTrue(kept.contains("five six seven eight nine"), kept);
  }

  private static int widest(String text) {
    return text.lines().mapToInt(String::length).max().orElse(0);
  }

  @Test
  void numbersAreNeverCut() {
    assertTrue(within(10, table()).contains("20.00 GiB"));
  }

  @Test
  void markdownHasAlignedColumnsAndEscapesBars() {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    TextTable.of("a", ">b", "").row("x|y", 1, "z").row("", 2, "").printMarkdown(out);
    assertEquals(
        """
        | a | b | |
        | --- | --: | --- |
        | x\\|y | 1 | z |
        | | 2 | |
        """,
        text.toString().replace(System.lineSeparator(), "\n"));
  }
}
