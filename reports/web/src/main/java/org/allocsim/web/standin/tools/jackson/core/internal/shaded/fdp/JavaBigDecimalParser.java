package org.allocsim.web.standin.tools.jackson.core.internal.shaded.fdp;

import java.math.BigDecimal;

/** Decimals as the platform reads them, which is small and fast enough for a few digits. */
public final class JavaBigDecimalParser {
  private JavaBigDecimalParser() {}

  /** Reads a text. */
  public static BigDecimal parseBigDecimal(CharSequence text) {
    return new BigDecimal(text.toString());
  }

  /** Reads a part of a text. */
  public static BigDecimal parseBigDecimal(char[] text, int from, int length) {
    return new BigDecimal(text, from, length);
  }
}
