package org.allocsim.reports.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private final StringWriter text = new StringWriter();
  private final PrintWriter out = new PrintWriter(text);

  private static TextTable table() {
    return TextTable.of("name", ">bytes", ">calls", "note")
        .row("first", "1.00 GiB", "12", "what happened to it and why")
        .row("second", "20.00 GiB", "3", "");
  }

  @Test
  void aTableThatFitsHasAllColumns() {
    assertEquals(List.of(), table().printWithin(100, out, "", List.of("calls")));
    assertTrue(text.toString().startsWith("name        bytes  calls  note"), text.toString());
  }

  @Test
  void expendableColumnsGoInTheirOrderAndTheLastOneIsWrapped() {
    assertEquals(List.of("calls"), table().printWithin(34, out, "", List.of("calls", "bytes")));
    assertEquals(
        """
        name        bytes  note
        first    1.00 GiB  what happened
                           to it and why
        second  20.00 GiB
        """,
        text.toString().replace(System.lineSeparator(), "\n"));
  }

  @Test
  void numbersAreNeverCut() {
    table().printWithin(10, out, "", List.of("calls"));
    assertTrue(text.toString().contains("20.00 GiB"));
  }

  @Test
  void markdownHasAlignedColumnsAndEscapesBars() {
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
