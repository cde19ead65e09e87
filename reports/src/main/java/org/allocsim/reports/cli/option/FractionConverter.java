package org.allocsim.reports.cli.option;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a share of the device's memory: above 0, at most 1. */
public final class FractionConverter implements ITypeConverter<Double> {
  private static final Pattern DECIMAL =
      Pattern.compile("[0-9]{0,30}(?:\\.[0-9]{0,40})?(?:[eE]-?[0-9]{1,3})?");

  @Override
  public Double convert(String text) {
    if (DECIMAL.matcher(text).matches() && text.chars().anyMatch(Character::isDigit)) {
      try {
        double fraction = Double.parseDouble(text);
        if (fraction > 0 && fraction <= 1) {
          return fraction;
        }
      } catch (NumberFormatException _) {
        // Falls through to the one message below.
      }
    }
    throw new TypeConversionException("'" + text + "' is not a fraction in (0, 1], such as 0.9");
  }
}
