package org.allocsim.analysis.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Batch sizes or lengths in the names of recordings, such as 8 and 16 in b8 and b16. */
public final class NamedSizes {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  private NamedSizes() {}

  /**
   * The number in which names differ, for each of them; empty where they differ in anything else,
   * or in several numbers, or two have the same.
   */
  public static Optional<List<Double>> of(List<String> names) {
    List<String> texts = names.stream().map(name -> NUMBER.matcher(name).replaceAll("#")).toList();
    List<List<String>> numbers =
        names.stream()
            .map(name -> NUMBER.matcher(name).results().map(found -> found.group()).toList())
            .toList();
    if (texts.stream().distinct().count() != 1) {
      return Optional.empty();
    }
    List<List<Double>> differing = new ArrayList<>();
    for (int place = 0; place < numbers.getFirst().size(); place++) {
      int at = place;
      List<Double> values = numbers.stream().map(found -> Double.valueOf(found.get(at))).toList();
      if (values.stream().distinct().count() > 1) {
        differing.add(values);
      }
    }
    return Optional.of(differing)
        .filter(found -> found.size() == 1)
        .map(List::getFirst)
        .filter(values -> values.stream().distinct().count() == values.size());
  }
}
