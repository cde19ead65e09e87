package org.allocsim.web.standin.tools.jackson.core.io.schubfach;

import java.nio.charset.StandardCharsets;

/** Numbers as text, which the platform writes as well. */
public final class DoubleToDecimal {
  private DoubleToDecimal() {}

  /** The shortest text that reads as the same number. */
  public static String toString(double number) {
    return Double.toString(number);
  }

  /** Puts that text into a buffer and returns the place after it. */
  public static int writeDouble(double number, byte[] buffer, int offset) {
    byte[] text = Double.toString(number).getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(text, 0, buffer, offset, text.length);
    return offset + text.length;
  }
}
