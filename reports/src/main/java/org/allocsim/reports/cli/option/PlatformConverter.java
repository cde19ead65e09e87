package org.allocsim.reports.cli.option;

import org.allocsim.analysis.tuning.Platform;
import picocli.CommandLine.ITypeConverter;

/** Reads where a program runs. */
public final class PlatformConverter implements ITypeConverter<Platform> {
  @Override
  public Platform convert(String text) {
    return Choices.of(Platform.class, text);
  }
}
