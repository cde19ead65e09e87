package org.allocsim.simulator.policy.pytorch.conf;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers as the C++ standard library reads them ({@code std::stoull}, {@code std::stod}, …): the
 * leading number counts and what follows it is ignored.
 */
final class CppNumbers {
  private static final BigInteger MAX_UNSIGNED = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
  private static final Pattern INTEGER = Pattern.compile("([+-]?)([0-9]+)");
  private static final Pattern HEXADECIMAL =
      Pattern.compile(
          "[+-]?0[xX](?:[0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?");
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern NAMED = Pattern.compile("([+-]?)(?i:(inf)|(nan))");

  /** What a conversion could not do; {@link #outOfRange} distinguishes the two C++ exceptions. */
  static final class BadNumber extends Exception {
    private static final long serialVersionUID = 1L;

    final boolean outOfRange;

    BadNumber(boolean outOfRange) {
      super(null, null, false, false);
      this.outOfRange = outOfRange;
    }
  }

  private CppNumbers() {}

  /** White space in the C locale. */
  static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  /** An unsigned 64-bit number; a minus sign negates it modulo 2^64. */
  static long unsigned64(String text) throws BadNumber {
    Matcher matcher = integer(text);
    BigInteger magnitude = new BigInteger(matcher.group(2));
    if (magnitude.compareTo(MAX_UNSIGNED) > 0) {
      throw new BadNumber(true);
    }
    long value = magnitude.longValue();
    return matcher.group(1).equals("-") ? -value : value;
  }

  /** A signed 32-bit number. */
  static int signed32(String text) throws BadNumber {
    Matcher matcher = integer(text);
    try {
      return new BigInteger(matcher.group()).intValueExact();
    } catch (ArithmeticException e) {
      throw new BadNumber(true);
    }
  }

  private static Matcher integer(String text) throws BadNumber {
    Matcher matcher = INTEGER.matcher(withoutLeadingSpace(text));
    if (!matcher.lookingAt()) {
      throw new BadNumber(false);
    }
    return matcher;
  }

  /** A double, also in hexadecimal or by the names of infinity and not-a-number. */
  static double float64(String text) throws BadNumber {
    String number = withoutLeadingSpace(text);
    Matcher hexadecimal = HEXADECIMAL.matcher(number);
    if (hexadecimal.lookingAt()) {
      String digits = hexadecimal.group();
      boolean hasExponent = digits.contains("p") || digits.contains("P");
      return inRange(Double.parseDouble(hasExponent ? digits : digits + "p0"), digits);
    }
    Matcher decimal = DECIMAL.matcher(number);
    if (decimal.lookingAt()) {
      return inRange(Double.parseDouble(decimal.group()), decimal.group());
    }
    Matcher named = NAMED.matcher(number);
    if (named.lookingAt()) {
      double value = named.group(2) != null ? Double.POSITIVE_INFINITY : Double.NaN;
      return named.group(1).equals("-") ? -value : value;
    }
    throw new BadNumber(false);
  }

  private static double inRange(double value, String digits) throws BadNumber {
    boolean underflow = Math.abs(value) < Double.MIN_NORMAL && hasNonZeroDigit(digits);
    if (Double.isInfinite(value) || underflow) {
      throw new BadNumber(true);
    }
    return value;
  }

  /** Whether a number's mantissa is not zero. */
  private static boolean hasNonZeroDigit(String digits) {
    boolean hexadecimal = digits.contains("x") || digits.contains("X");
    String mantissa = digits.split(hexadecimal ? "[pP]" : "[eE]", 2)[0];
    return mantissa.chars().anyMatch(c -> Character.digit(c, hexadecimal ? 16 : 10) > 0);
  }

  private static String withoutLeadingSpace(String text) {
    int start = 0;
    while (start < text.length() && isSpace(text.charAt(start))) {
      start++;
    }
    return text.substring(start);
  }
}
