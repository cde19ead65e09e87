package org.allocsim.reports.text;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class WrappedTextTest {
  @Test
  void noLineEndsWithinANumberOrBeforeItsUnit() {
    String words = "x".repeat(95);
    for (String number : new String[] {"1 571 328 000 B", "46.2 %", "1.46 GiB", "450.5 µs"}) {
      StringWriter printed = new StringWriter();
      WrappedText.print(new PrintWriter(printed), "", "", words + " " + number + ".");
      assertTrue(printed.toString().contains(number), printed.toString());
    }
  }
}
