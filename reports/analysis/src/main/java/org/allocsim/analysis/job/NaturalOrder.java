package org.allocsim.analysis.job;

import java.util.Comparator;

/** Names as people sort them: rank2 before rank10. */
final class NaturalOrder {
  /** Numbers by their value; names that differ only in leading zeros by their text. */
  static final Comparator<String> OF_NAMES =
      ((Comparator<String>) NaturalOrder::compare).thenComparing(Comparator.naturalOrder());

  private NaturalOrder() {}

  private static int compare(String a, String b) {
    int i = 0;
    int j = 0;
    while (i < a.length() && j < b.length()) {
      if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
        int endA = endOfNumber(a, i);
        int endB = endOfNumber(b, j);
        int order = compareNumbers(a.substring(i, endA), b.substring(j, endB));
        if (order != 0) {
          return order;
        }
        i = endA;
        j = endB;
      } else if (a.charAt(i) != b.charAt(j)) {
        return Character.compare(a.charAt(i), b.charAt(j));
      } else {
        i++;
        j++;
      }
    }
    return Integer.compare(a.length() - i, b.length() - j);
  }

  private static int compareNumbers(String a, String b) {
    String left = a.replaceFirst("^0+(?=.)", "");
    String right = b.replaceFirst("^0+(?=.)", "");
    return left.length() != right.length()
        ? Integer.compare(left.length(), right.length())
        : left.compareTo(right);
  }

  private static int endOfNumber(String text, int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
