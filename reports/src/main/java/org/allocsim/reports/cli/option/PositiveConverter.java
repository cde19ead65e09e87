package org.allocsim.reports.cli.option;

import java.util.regex.Pattern;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number above 0, such as a batch or a factor. */
public final class PositiveConverter implements ITypeConverter<Double> {
  private static final Pattern DECIMAL =
      Pattern.compile("[0-9]{1,30}(?:\\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,3})?|\\.[0-9]{1,40}");

  @Override
  public Double convert(String text) {
    String plain = TypedNumber.plain(text);
    double number = DECIMAL.matcher(plain).matches() ? Double.parseDouble(plain) : 0;
    if (number > 0 && number < Double.POSITIVE_INFINITY) {
      return number;
    }
    throw new TypeConversionException("'" + text + "' is not a number above 0, such as 8 or 1.5");
  }
}
