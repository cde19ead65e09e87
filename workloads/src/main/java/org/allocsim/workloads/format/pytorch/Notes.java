package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.List;

/** Counted oddities of a file, each a line for the user. */
final class Notes {
  private final List<String> lines = new ArrayList<>();

  /** Adds a line unless the count is zero; {@code %s} becomes the count with its noun. */
  void add(String line, long count, String one, String many) {
    if (count > 0) {
      lines.add(line.replace("%s", count + " " + (count == 1 ? one : many)));
    }
  }

  /** Adds a line. */
  void add(String line) {
    lines.add(line);
  }

  List<String> lines() {
    return List.copyOf(lines);
  }
}
