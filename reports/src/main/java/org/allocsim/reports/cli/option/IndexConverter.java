package org.allocsim.reports.cli.option;

import java.util.regex.Pattern;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a place that is counted from 0. */
public final class IndexConverter implements ITypeConverter<Integer> {
  private static final Pattern INDEX = Pattern.compile("[0-9]{1,9}");

  @Override
  public Integer convert(String text) {
    String plain = TypedNumber.plain(text);
    if (!INDEX.matcher(plain).matches()) {
      throw new TypeConversionException(
          "'" + text + "' is no index; write a whole number from 0 up, such as 1");
    }
    return Integer.valueOf(plain);
  }
}
