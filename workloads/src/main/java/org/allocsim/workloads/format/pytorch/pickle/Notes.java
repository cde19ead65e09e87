package org.allocsim.workloads.format.pytorch.pickle;

import java.util.ArrayList;
import java.util.List;

/** Counted oddities of a file, each a line for the user. */
public final class Notes {
  private final List<String> lines = new ArrayList<>();

  /** Adds a line unless the count is zero; {@code %s} becomes the count with its noun. */
  public void add(String line, long count, String one, String many) {
    if (count > 0) {
      lines.add(line.replace("%s", count + " " + (count == 1 ? one : many)));
    }
  }

  /** Adds a line. */
  public void add(String line) {
    lines.add(line);
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }
}
