package org.allocsim.web.standin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts with values are those of Java. */
class FormattedTextTest {
  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library that tests do not need
  private static void check(String form, Object... values) {
    assertEquals(
        String.format(Locale.ROOT, form, values),
        new FormattedText(form, values).make(),
        form + " of " + values[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%.0f", "%.1f", "%.2f", "%.3f", "%+.0f", "%+.2f", "%,.1f"})
  void decimalsAreRoundedAsJavaRounds(String form) {
    for (double edge :
        new double[] {
          0,
          -0.0,
          0.5,
          1.5,
          2.5,
          -0.5,
          0.05,
          0.15,
          0.25,
          0.005,
          1.005,
          2.675,
          -0.001,
          1e-320,
          1e21,
          123456.789,
          Double.MAX_VALUE,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY
        }) {
      check(form, edge);
    }
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      check(form, random.nextInt(100_000) / 1000.0);
      check(form, Double.longBitsToDouble(random.nextLong()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"%d", "%,d", "%+d", "%02d", "%05d", "%x"})
  void integersAreWrittenAsJavaWritesThem(String form) {
    for (long number :
        new long[] {
          0, 7, -7, 12, 123, 999, 1000, -1234, 1_234_567, Long.MAX_VALUE, Long.MIN_VALUE
        }) {
      check(form, number);
      check(form, (int) number);
    }
  }

  @Test
  void textsAndSignsStandWhereTheyStood() {
    check("%s: 100%%, %d of %s%n", "a", 3, null);
  }
}
