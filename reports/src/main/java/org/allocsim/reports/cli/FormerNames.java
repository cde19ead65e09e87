package org.allocsim.reports.cli;

import java.util.Map;

/** Earlier names of commands, which go on working and are listed nowhere. */
final class FormerNames {
  private static final Map<String, String> NAMES = Map.of("pins", "blockers", "share", "colocate");

  private FormerNames() {}

  /** The words of a command line, with its command by the name of today. */
  static String[] replaced(String[] words) {
    int place = 0;
    if (words.length > 0 && words[0].equals("help")) {
      place = 1;
    } else if (words.length > 0 && words[0].startsWith("--plugins")) {
      place = words[0].contains("=") ? 1 : 2;
    }
    if (place >= words.length || !NAMES.containsKey(words[place])) {
      return words;
    }
    String[] now = words.clone();
    now[place] = NAMES.get(words[place]);
    return now;
  }
}
