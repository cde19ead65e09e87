package org.allocsim.reports.cli.option;

import java.awt.GraphicsEnvironment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.reports.chart.FigureNames;
import org.allocsim.reports.chart.FigureStyle;
import org.allocsim.simulator.typed.SimilarName;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code PRESET(name=value;...)}, such as {@code one-column(font=Times;dpi=300)}. */
public final class FigureConverter implements ITypeConverter<FigureStyle> {
  /** What {@code --figure} takes, for its help. */
  static final String DESCRIPTION =
      "Draw charts for a paper or talk, on a light background, also as PDF, with their data as CSV"
          + " and JSON: one-column (89 mm, 7 pt text, 600 dpi), two-columns (183 mm, 7 pt, 600 dpi)"
          + " or slide (254 mm, 14 pt, 200 dpi), with changes as in"
          + " 'one-column(width=80mm;height=60mm;size=8;font=Serif;dpi=300;title=Our"
          + " run;axis=event;from=100;to=900;name.allocated=blocks)'; from and to are event numbers"
          + " or times such as 250ms.";

  private static final double POINTS_PER_MM = 72 / 25.4;
  private static final double MAX_MM = 2000;
  private static final int MAX_DPI = 2400;
  private static final int MAX_FONT_POINTS = 100;

  /** What a change may name, besides names of series. */
  private static final List<String> OPTIONS =
      List.of("width", "height", "size", "font", "dpi", "title", "axis", "from", "to");

  private static final Pattern WHOLE = Pattern.compile("([a-z-]+)(?:\\((.*)\\))?", Pattern.DOTALL);
  private static final Pattern MEASURE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)([a-zµ]*)");

  private static final Map<String, Double> LENGTHS =
      Map.of("mm", POINTS_PER_MM, "cm", 10 * POINTS_PER_MM, "in", 72.0, "pt", 1.0);

  private static final Map<String, Double> TIMES =
      Map.of("", 1.0, "s", 1.0, "ms", 1e-3, "us", 1e-6, "µs", 1e-6, "min", 60.0);

  private static final Map<String, FigureStyle> PRESETS =
      Map.of(
          "one-column", preset(89, 7, 600),
          "two-columns", preset(183, 7, 600),
          "slide", preset(254, 14, 200));

  private static FigureStyle preset(double widthMm, double fontPoints, int dpi) {
    return new FigureStyle(
        widthMm * POINTS_PER_MM,
        null,
        fontPoints,
        null,
        dpi,
        null,
        false,
        null,
        null,
        new FigureNames(Map.of()));
  }

  @Override
  public FigureStyle convert(String text) {
    Matcher whole = WHOLE.matcher(text);
    FigureStyle preset = whole.matches() ? PRESETS.get(whole.group(1)) : null;
    if (preset == null) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is not a figure; write one-column, two-columns or slide, optionally with changes"
              + " as in 'one-column(size=8;dpi=300)'");
    }
    Map<String, String> changes = new HashMap<>();
    Map<String, String> names = new HashMap<>();
    if (whole.group(2) != null && !whole.group(2).isBlank()) {
      for (String change : whole.group(2).split(";", -1)) {
        add(change, changes, names);
      }
    }
    FigureStyle style =
        new FigureStyle(
            Objects.requireNonNull(length(changes, "width", preset.widthPoints())),
            length(changes, "height", preset.heightPoints()),
            number(changes, "size", "pt", preset.fontPoints(), MAX_FONT_POINTS),
            font(changes.remove("font")),
            (int) Math.round(number(changes, "dpi", "", (double) preset.dpi(), MAX_DPI)),
            changes.remove("title"),
            isByEvent(changes.remove("axis")),
            time(changes, "from"),
            time(changes, "to"),
            new FigureNames(names));
    for (String unknown : changes.keySet()) {
      throw new TypeConversionException(
          "unknown figure option '"
              + unknown
              + "'; "
              + SimilarName.remedy(
                  unknown, OPTIONS, "use " + String.join(", ", OPTIONS) + " or name.SERIES"));
    }
    Double from = style.from();
    Double to = style.to();
    if (from != null && to != null && from >= to) {
      throw new TypeConversionException("the figure ends before it begins; give from below to");
    }
    return style;
  }

  private static void add(String change, Map<String, String> changes, Map<String, String> names) {
    // Names of series may hold the sign; new ones do not.
    boolean isName = change.startsWith("name.");
    int equals = isName ? change.lastIndexOf('=') : change.indexOf('=');
    if (equals < 0) {
      throw new TypeConversionException("'" + change + "' is not a change; write name=value");
    }
    String name = change.substring(0, equals).strip();
    Map<String, String> target = isName ? names : changes;
    target.put(isName ? name.substring("name.".length()) : name, change.substring(equals + 1));
  }

  private static @Nullable Double length(
      Map<String, String> changes, String name, @Nullable Double usual) {
    String text = changes.remove(name);
    if (text == null) {
      return usual;
    }
    Matcher length = MEASURE.matcher(text);
    Double points = length.matches() ? LENGTHS.get(length.group(2)) : null;
    double value = points == null ? 0 : points * Double.parseDouble(length.group(1));
    if (!(value >= POINTS_PER_MM && value <= MAX_MM * POINTS_PER_MM)) {
      throw new TypeConversionException(
          "'%s=%s' is not a length from 1 mm to 2 m, such as 89mm or 3.5in".formatted(name, text));
    }
    return value;
  }

  private static double number(
      Map<String, String> changes, String name, String unit, double usual, double highest) {
    String text = changes.remove(name);
    if (text == null) {
      return usual;
    }
    Matcher number = MEASURE.matcher(text);
    boolean isNumber =
        number.matches() && (number.group(2).isEmpty() || number.group(2).equals(unit));
    double value = isNumber ? Double.parseDouble(number.group(1)) : 0;
    if (!(value >= 1 && value <= highest)) {
      throw new TypeConversionException(
          "'%s=%s' is not a number from 1 to %.0f".formatted(name, text, highest));
    }
    return value;
  }

  private static @Nullable Double time(Map<String, String> changes, String name) {
    String text = changes.remove(name);
    if (text == null) {
      return null;
    }
    Matcher time = MEASURE.matcher(text);
    Double seconds = time.matches() ? TIMES.get(time.group(2)) : null;
    if (seconds == null) {
      throw new TypeConversionException(
          "'"
              + name
              + "="
              + text
              + "' is not a moment; write an event number or a time such as 250ms");
    }
    return seconds * Double.parseDouble(time.group(1));
  }

  private static boolean isByEvent(@Nullable String axis) {
    if (axis == null || axis.equals("time")) {
      return false;
    }
    if (!axis.equals("event")) {
      throw new TypeConversionException("'axis=" + axis + "' must be time or event");
    }
    return true;
  }

  private static @Nullable String font(@Nullable String name) {
    if (name == null) {
      return null;
    }
    return Arrays.stream(
            GraphicsEnvironment.getLocalGraphicsEnvironment()
                .getAvailableFontFamilyNames(Locale.ROOT))
        .filter(name::equalsIgnoreCase)
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "this system has no font '"
                    + name
                    + "'; 'fc-list : family' lists the installed ones"));
  }
}
