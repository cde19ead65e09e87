package org.allocsim.web.standin;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Texts with values in their places, as {@link java.util.Formatter} makes them in the root locale:
 * of its conversions those that this program uses. TeaVM's formatter rounds the binary number where
 * Java rounds the shortest decimal that gives it, and brings the numbers of all locales with it.
 */
final class FormattedText {
  private static final int GROUP = 3;

  private final String form;
  private final Object[] values;
  private final StringBuilder text = new StringBuilder();
  private int at;
  private int next;

  FormattedText(String form, Object[] values) {
    this.form = form;
    this.values = values;
  }

  String make() {
    while (at < form.length()) {
      char c = form.charAt(at++);
      if (c == '%') {
        convert();
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  private void convert() {
    boolean isSigned = skip('+');
    boolean isGrouped = skip(',');
    boolean isFilled = skip('0');
    int width = number();
    int decimals = skip('.') ? number() : 0;
    char conversion = form.charAt(at++);
    switch (conversion) {
      case '%' -> text.append('%');
      case 'n' -> text.append('\n');
      case 's' -> text.append(values[next++]);
      case 'x' -> text.append(hexadecimal((Number) values[next++]));
      case 'd' -> append(String.valueOf(values[next++]), isSigned, isGrouped, isFilled, width);
      case 'f' ->
          append(decimal((Number) values[next++], decimals), isSigned, isGrouped, isFilled, width);
      default -> throw new IllegalArgumentException("%" + conversion + " in " + form);
    }
  }

  private boolean skip(char flag) {
    boolean isThere = form.charAt(at) == flag;
    at += isThere ? 1 : 0;
    return isThere;
  }

  private int number() {
    int number = 0;
    while (Character.isDigit(form.charAt(at))) {
      number = 10 * number + form.charAt(at++) - '0';
    }
    return number;
  }

  private static String hexadecimal(Number number) {
    return number instanceof Long
        ? Long.toHexString(number.longValue())
        : Integer.toHexString(number.intValue());
  }

  /** Halves of the shortest decimal are rounded up; a negative number keeps its sign. */
  private static String decimal(Number number, int decimals) {
    double value = number.doubleValue();
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return String.valueOf(value);
    }
    String digits =
        new BigDecimal(number.toString()).setScale(decimals, RoundingMode.HALF_UP).toPlainString();
    boolean isNegative = value < 0 || value == 0 && 1 / value < 0;
    return isNegative && !digits.startsWith("-") ? "-" + digits : digits;
  }

  private void append(
      String number, boolean isSigned, boolean isGrouped, boolean isFilled, int width) {
    boolean isNegative = number.startsWith("-");
    StringBuilder digits = new StringBuilder(isNegative ? number.substring(1) : number);
    if (isGrouped && Character.isDigit(digits.charAt(0))) {
      int point = digits.indexOf(".");
      for (int i = (point < 0 ? digits.length() : point) - GROUP; i > 0; i -= GROUP) {
        digits.insert(i, ',');
      }
    }
    String sign = isNegative ? "-" : isSigned && !number.equals("NaN") ? "+" : "";
    int missing = width - sign.length() - digits.length();
    String fill = missing > 0 ? (isFilled ? "0" : " ").repeat(missing) : "";
    text.append(isFilled ? sign + fill : fill + sign).append(digits);
  }
}
