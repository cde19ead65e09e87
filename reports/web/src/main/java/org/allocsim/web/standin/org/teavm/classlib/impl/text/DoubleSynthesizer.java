package org.allocsim.web.standin.org.teavm.classlib.impl.text;

import org.allocsim.web.Host;

/** The number that is nearest to a decimal. */
public final class DoubleSynthesizer {
  private static final int DIGITS = 18;

  private DoubleSynthesizer() {}

  /** The number whose unsigned digits, 18 of them after the point, and power of ten these are. */
  public static double synthesizeDouble(long digits, int exponent, boolean isNegative) {
    double number = Host.number(Long.toUnsignedString(digits) + "e" + (exponent - DIGITS));
    return isNegative ? -number : number;
  }
}
