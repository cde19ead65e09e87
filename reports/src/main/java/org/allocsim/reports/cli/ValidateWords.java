package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The older command lines of {@code validate}, which name in an option what is compared. */
final class ValidateWords {
  private static final String NAME = "validate";

  /** The first word after the name where it says what is compared, or asks for help. */
  private static final String SAID = "gpu|pytorch|together|cache|-h|--help|-V|--version";

  private ValidateWords() {}

  /**
   * The words of a command line, where an option alone may say what is compared, with a command.
   */
  static String[] withSubject(String[] words) {
    List<String> all = new ArrayList<>(Arrays.asList(words));
    int first = all.indexOf(NAME) + 1;
    boolean isAsked = first == 1 || first > 1 && words[0].startsWith("--plugins") && first <= 3;
    if (!isAsked || first == all.size() || all.get(first).matches(SAID)) {
      return words;
    }
    String subject = "gpu";
    for (String each : List.of("cache", "together", "pytorch")) {
      if (all.stream().anyMatch(word -> word.split("=")[0].equals("--" + each))) {
        subject = each;
      }
    }
    all.add(first, subject);
    // That of caches has a value, and is still an option.
    all.removeAll(List.of("--pytorch", "--together"));
    return all.toArray(String[]::new);
  }
}
