package org.allocsim.web.standin.org.teavm.classlib.impl.text;

import org.allocsim.web.Host;
import org.teavm.classlib.impl.text.DoubleAnalyzer.Result;

/** The shortest digits of a number. */
public final class DoubleAnalyzer {
  private static final int DIGITS = 18;
  private static final int TEN = 10;

  private DoubleAnalyzer() {}

  /** Gives sign, 18 digits with zeros at the end, and the power of ten of the first one. */
  public static void analyze(double number, Result result) {
    result.sign = number < 0 || number == 0 && 1 / number < 0;
    // Such as 1.25e+3.
    String text = Host.exponential(Math.abs(number));
    long mantissa = 0;
    int digits = 0;
    int at = 0;
    for (; text.charAt(at) != 'e'; at++) {
      if (text.charAt(at) != '.') {
        mantissa = TEN * mantissa + text.charAt(at) - '0';
        digits++;
      }
    }
    for (; digits < DIGITS; digits++) {
      mantissa *= TEN;
    }
    result.mantissa = mantissa;
    result.exponent = Integer.parseInt(text.substring(at + 1));
  }

  /** The power of ten of the first digit. */
  public static int fastIntLog10(double number) {
    Result result = new Result();
    analyze(number, result);
    return result.exponent;
  }
}
