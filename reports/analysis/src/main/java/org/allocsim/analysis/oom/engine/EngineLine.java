package org.allocsim.analysis.oom.engine;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A form of line in an engine's log. Its group {@code gpu} is the number of the GPU that it is
 * about, its group {@code unit} the unit that it prints; all others are values, which are added up.
 *
 * @param engine whose
 * @param figure what its groups print
 * @param word what each such line has, which is looked for first since that is fast
 * @param form what the line holds
 * @param unit in which it prints sizes
 * @param adds whether a further line adds to the ones before it
 */
record EngineLine(
    Engine engine, EngineFigure figure, String word, Pattern form, Unit unit, boolean adds) {
  /** In what a line prints. */
  enum Unit {
    /** Counts and parts of 1. */
    ONE(1, 0),
    /** Mebibytes. */
    MIB(0x1p20, 0),
    /** Gibibytes, also where the line says GB, as SGLang's do. */
    GIB(0x1p30, 0),
    /** Gibibytes that Python rounded to hundredths, of which it prints no last zero. */
    GIB_HUNDREDTHS(0x1p30, 2),
    /** The unit is printed. */
    PRINTED(1, 0);

    private final double bytes;
    private final int decimals;

    Unit(double bytes, int decimals) {
      this.bytes = bytes;
      this.decimals = decimals;
    }
  }

  static final List<EngineLine> ALL =
      Stream.of(
              VllmLines.ALL,
              SglangLines.ALL,
              TensorRtLlmLines.ALL,
              LlamaCppLines.ALL,
              OllamaLines.ALL)
          .flatMap(List::stream)
          .toList();

  /** A part of 1, which Python may print with all its digits. */
  static final String RATIO = "(0?\\.\\d{1,20}|1\\.0{1,4}|1(?=[,)\\s]|$))(?!\\d)";

  static final String COUNT = "(\\d{1,12})(?![\\d.])";

  /** Digits, perhaps with commas between them. */
  static final String COMMA_COUNT = "(\\d[\\d,]{0,14})";

  static final String SIZE = "(-?\\d{1,9}(?:\\.\\d{1,6})?)";
  static final String SIZE_AND_UNIT = SIZE + " (?<unit>[KMG]iB|B)";

  /** Between the name of an option and its value. */
  static final String ASSIGNED = "['\"]?\\s?[=: (]\\s?\\(?";

  /** Devices of ggml's backends that are GPUs. */
  static final String GPU = "(?:CUDA|ROCm|Vulkan|SYCL|MUSA)(?<gpu>\\d{1,3})";

  static EngineLine of(Engine engine, EngineFigure figure, String word, String form, Unit unit) {
    return new EngineLine(engine, figure, word, Pattern.compile(form), unit, false);
  }

  /** A form of which each line adds to the ones before it. */
  static EngineLine adding(
      Engine engine, EngineFigure figure, String word, String form, Unit unit) {
    return new EngineLine(engine, figure, word, Pattern.compile(form), unit, true);
  }

  /**
   * Where the form is in a line.
   *
   * @return null where it is not
   */
  @Nullable Matcher in(String text) {
    if (!text.contains(word)) {
      return null;
    }
    Matcher matcher = form.matcher(text);
    return matcher.find() ? matcher : null;
  }

  /** What was found prints. */
  Printed value(Matcher found) {
    int gpu = form.namedGroups().getOrDefault("gpu", 0);
    int unitGroup = form.namedGroups().getOrDefault("unit", 0);
    double bytes = unitGroup == 0 ? unit.bytes : bytes(found.group(unitGroup));
    Printed sum = null;
    for (int group = 1; group <= found.groupCount(); group++) {
      if (group != gpu && group != unitGroup) {
        Printed value = Printed.of(found.group(group), bytes, unit.decimals);
        sum = sum == null ? value : sum.plus(value);
      }
    }
    if (sum == null) {
      throw new IllegalStateException("a form has a value: " + form);
    }
    return sum;
  }

  /** The GPU that what was found is about, "" where the line names none. */
  String gpu(Matcher found) {
    return form.namedGroups().containsKey("gpu") ? "GPU " + found.group("gpu") : "";
  }

  private static double bytes(String unit) {
    return switch (unit.charAt(0)) {
      case 'G' -> 0x1p30;
      case 'M' -> 0x1p20;
      case 'K' -> 0x1p10;
      default -> 1;
    };
  }
}
