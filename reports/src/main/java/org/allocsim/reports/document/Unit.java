package org.allocsim.reports.document;

import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.stats.ByteFormat;
import org.jspecify.annotations.Nullable;

/**
 * What kind of quantity a value is: it decides how the key of a column ends, which type the value
 * has in JSON and how people read it.
 */
public enum Unit {
  /** Bytes, whole. */
  BYTES("_bytes", "integer"),
  /** A mean of bytes, with a fraction. */
  MEAN_BYTES("_bytes", "number"),
  /** Nanoseconds, whole. */
  NANOS("_nanos", "integer"),
  /** Seconds with a fraction. */
  SECONDS("_seconds", "number"),
  /** Things, whole. */
  COUNT("", "integer"),
  /** A part of a whole or one quantity over another; read as a percentage. */
  RATIO("_ratio", "number"),
  /** A figure that none of the others describes; its explanation says what it counts. */
  NUMBER("", "number"),
  /** Things a second. */
  RATE("_per_second", "number"),
  /** Yes or no. */
  FLAG("", "boolean"),
  /** Words and identifiers. */
  TEXT("", "string"),
  /** Whatever a file that was read holds. */
  ANY("", null);

  /** What stands for a quantity that is not there. */
  static final String MISSING = "-";

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLION = 1e6;

  private final String suffix;
  private final @Nullable String jsonType;

  Unit(String suffix, @Nullable String jsonType) {
    this.suffix = suffix;
    this.jsonType = jsonType;
  }

  /** Name of the type of its values in JSON Schema; null where they may have any. */
  public @Nullable String jsonType() {
    return jsonType;
  }

  /** Whether its values stand right-aligned. */
  public boolean isNumber() {
    return this != FLAG && this != TEXT && this != ANY;
  }

  /**
   * Refuses a key that hides the unit or claims another one.
   *
   * @throws IllegalArgumentException where the key does not end as the unit asks
   */
  void requireKey(String key) {
    for (Unit other : values()) {
      boolean claims = !other.suffix.isEmpty() && ("_" + key).endsWith(other.suffix);
      if (claims ? !other.suffix.equals(suffix) : other == this && !suffix.isEmpty()) {
        throw new IllegalArgumentException(
            "the key " + key + " does not suit a value in " + name().toLowerCase(Locale.ROOT));
      }
    }
  }

  /** A value as people read it; a dash where there is none. */
  String text(@Nullable Object value) {
    return switch (value) {
      case null -> MISSING;
      case Number number -> text(number);
      case Boolean flag -> flag ? "yes" : "no";
      default -> value.toString();
    };
  }

  private String text(Number number) {
    return switch (this) {
      case BYTES, MEAN_BYTES -> ByteFormat.human(Math.round(number.doubleValue()));
      case NANOS -> Numbers.duration(number.longValue());
      case SECONDS -> Numbers.duration(Math.round(number.doubleValue() * NANOS_PER_SECOND));
      case COUNT -> Numbers.count(number.longValue());
      case RATIO -> Numbers.percent(number.doubleValue());
      case NUMBER -> String.format(Locale.ROOT, "%.2f", number.doubleValue());
      case RATE -> String.format(Locale.ROOT, "%.2f M/s", number.doubleValue() / MILLION);
      case FLAG, TEXT, ANY -> number.toString();
    };
  }
}
