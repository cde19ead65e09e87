package org.allocsim.simulator.typed;

import java.util.regex.Pattern;

/** Numbers as they are printed here and elsewhere, pasted back. */
public final class TypedNumber {
  /** What separates groups of three digits; the narrow blanks as they are printed or copied. */
  private static final Pattern GROUPING =
      Pattern.compile("(?<=[0-9])[ ,_'\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))");

  private TypedNumber() {}

  /**
   * A text without blanks around it and without what separates groups of three digits: {@code 1
   * 048}, {@code 1,048} and {@code 1_048} become {@code 1048}. All else stays as it is.
   */
  public static String plain(String text) {
    return GROUPING.matcher(text.strip()).replaceAll("");
  }
}
