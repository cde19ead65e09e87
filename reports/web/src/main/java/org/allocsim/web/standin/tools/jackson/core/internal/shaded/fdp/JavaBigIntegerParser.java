package org.allocsim.web.standin.tools.jackson.core.internal.shaded.fdp;

import java.math.BigInteger;

/** Integers as the platform reads them, which is small and fast enough for a few digits. */
public final class JavaBigIntegerParser {
  private static final int DECIMAL = 10;

  private JavaBigIntegerParser() {}

  /** Reads a decimal text. */
  public static BigInteger parseBigInteger(CharSequence text) {
    return parseBigInteger(text, DECIMAL);
  }

  /** Reads a text of some radix. */
  public static BigInteger parseBigInteger(CharSequence text, int radix) {
    return new BigInteger(text.toString(), radix);
  }

  /** Reads a part of a text. */
  public static BigInteger parseBigInteger(char[] text, int from, int length, int radix) {
    return parseBigInteger(new String(text, from, length), radix);
  }
}
