package org.allocsim.reports.cli.option;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.typed.SimilarName;
import picocli.CommandLine.TypeConversionException;

/**
 * A process that shares a GPU, as it is given: a trace, and after commas what is different for this
 * process: {@code trainer.pickle,policy=pytorch,memory-limit=40GiB,start=12}.
 *
 * @param trace name of the trace
 * @param values what was given for the process, by its word
 */
public record TenantOption(String trace, Map<String, String> values) {
  /** Its words, in the order of the help. */
  public static final List<String> WORDS =
      List.of(
          "name",
          "policy",
          "conf",
          "memory-limit",
          "memory-fraction",
          "mps-limit",
          "context",
          "other",
          "start",
          "end");

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MAX_SECONDS = 1e9;
  private static final String EXIT = "exit";

  /**
   * Reads what was given.
   *
   * @throws Failure where a word is unknown or comes twice
   */
  public static TenantOption parse(String text) {
    List<String> parts = parts(text);
    Map<String, String> values = new HashMap<>();
    for (String part : parts.subList(1, parts.size())) {
      int equals = part.indexOf('=');
      String word = equals < 0 ? part : part.substring(0, equals);
      if (equals < 0 || !WORDS.contains(word)) {
        throw Failure.usage(
            "'%s': unknown process setting '%s'; %s"
                .formatted(
                    text,
                    word,
                    SimilarName.remedy(word, WORDS, "choose from " + String.join(", ", WORDS))));
      }
      if (values.put(word, part.substring(equals + 1)) != null) {
        throw Failure.usage("'" + text + "': " + word + " is given twice");
      }
    }
    if (values.containsKey("policy") && values.containsKey("conf")) {
      throw Failure.usage("'" + text + "': give policy or conf, not both");
    }
    if (values.containsKey("memory-limit") && values.containsKey("memory-fraction")) {
      throw Failure.usage("'" + text + "': give memory-limit or memory-fraction, not both");
    }
    return new TenantOption(parts.getFirst(), Map.copyOf(values));
  }

  /**
   * Parts between commas that are in no parentheses and come before a word and an equals sign, so
   * that settings and file names may have commas.
   */
  private static List<String> parts(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0 && text.substring(i + 1).matches("[a-z-]+=.*")) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  /** What was given for a word. */
  public Optional<String> value(String word) {
    return Optional.ofNullable(values.get(word));
  }

  /** The policy; empty for PyTorch's. */
  public Optional<PolicyChoice> policy() {
    return value("policy").map(text -> read("policy", () -> PolicyChoice.parse(text)));
  }

  /** The size that a word gives. */
  public Optional<Long> bytes(String word) {
    return value(word).map(text -> read(word, () -> new SizeConverter().convert(text)));
  }

  /** The share of the GPU that the allocator may have. */
  public Optional<Double> fraction() {
    return value("memory-fraction")
        .map(text -> read("memory-fraction", () -> new FractionConverter().convert(text)));
  }

  /** When the process starts, in nanoseconds. */
  public Optional<Long> startNanos() {
    return value("start")
        .map(text -> {
          String number = text.endsWith("s") ? text.substring(0, text.length() - 1) : text;
          double seconds;
          try {
            seconds = Double.parseDouble(number);
          } catch (NumberFormatException _) {
            seconds = Double.NaN;
          }
          if (!(seconds >= 0 && seconds <= MAX_SECONDS)) {
            throw Failure.usage("start=" + text + " is not a time; give seconds, 0 or more");
          }
          return (long) (seconds * NANOS_PER_SECOND);
        });
  }

  /** Whether the process ends after its last request. */
  public boolean exits() {
    String end = value("end").orElse("hold");
    if (!end.equals(EXIT) && !end.equals("hold")) {
      throw Failure.usage("end=" + end + " must be exit or hold");
    }
    return end.equals(EXIT);
  }

  /** Reads a value. */
  @FunctionalInterface
  private interface Reader<T> {
    T read();
  }

  private static <T> T read(String word, Reader<T> reader) {
    try {
      return reader.read();
    } catch (TypeConversionException | IllegalArgumentException e) {
      throw Failure.usage(word + ": " + e.getMessage());
    }
  }
}
