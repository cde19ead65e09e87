package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Operations whose results were those of the source when they were recorded. A line is an operation
 * and, after {@code =>}, its result.
 */
public final class RecordedScript {
  private static final String RESULT = " => ";

  private RecordedScript() {}

  /** The lines of a resource beside a class, each replayed and with what comes of it. */
  public static void check(Class<?> place, String resource, UnaryOperator<List<String>> replay) {
    List<String> lines = lines(place, resource);
    List<String> operations = new ArrayList<>();
    for (String line : lines) {
      int end = line.indexOf(RESULT);
      operations.add(end < 0 ? line : line.substring(0, end));
    }
    List<String> results = replay.apply(operations);
    List<String> replayed = new ArrayList<>(List.of(operations.getFirst()));
    for (int i = 0; i < results.size(); i++) {
      replayed.add(operations.get(i + 1) + RESULT + results.get(i).strip());
    }
    assertEquals(String.join("\n", lines), String.join("\n", replayed));
  }

  private static List<String> lines(Class<?> place, String resource) {
    try (InputStream input = Objects.requireNonNull(place.getResourceAsStream(resource))) {
      return new String(input.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
