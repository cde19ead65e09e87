package org.allocsim.reports.document;

import org.allocsim.analysis.text.Numbers;

/**
 * A value that knows its unit, for sentences.
 *
 * @param unit what kind of quantity it is
 * @param value a number, text or a boolean, as the unit asks
 * @param isExact whether people read the exact bytes after the rounded ones
 */
public record Quantity(Unit unit, Object value, boolean isExact) {
  /** Bytes, rounded for people. */
  public static Quantity bytes(long bytes) {
    return new Quantity(Unit.BYTES, bytes, false);
  }

  /** Bytes, followed by the exact number where the short form rounds. */
  public static Quantity exactBytes(long bytes) {
    return new Quantity(Unit.BYTES, bytes, true);
  }

  /** A duration. */
  public static Quantity nanos(long nanos) {
    return new Quantity(Unit.NANOS, nanos, false);
  }

  /** A number of things. */
  public static Quantity count(long number) {
    return new Quantity(Unit.COUNT, number, false);
  }

  /** A number of things and their noun, in the plural unless it is one. */
  public static Sentence count(long number, String noun) {
    return count(number, noun, noun + "s");
  }

  /** A number of things and their noun, whose plural is not formed with an s. */
  public static Sentence count(long number, String noun, String nouns) {
    return Sentence.of("{} " + (number == 1 ? noun : nouns), count(number));
  }

  /** A part of a whole, read as a percentage; a dash where the whole is nothing. */
  public static Quantity share(long part, long whole) {
    return new Quantity(Unit.RATIO, whole <= 0 ? Double.NaN : (double) part / whole, false);
  }

  /** The value with its unit as people read it. */
  @Override
  public String toString() {
    return isExact ? Numbers.bytes((Long) value) : unit.text(value);
  }
}
