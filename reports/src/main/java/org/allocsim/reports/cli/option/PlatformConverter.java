package org.allocsim.reports.cli.option;

import java.util.Arrays;
import org.allocsim.analysis.tuning.Platform;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads where a program runs. */
public final class PlatformConverter implements ITypeConverter<Platform> {
  @Override
  public Platform convert(String text) {
    return Arrays.stream(Platform.values())
        .filter(each -> each.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is none of linux, windows and wsl"));
  }
}
