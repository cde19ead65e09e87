package org.allocsim.reports.cli.option;

import java.util.Arrays;
import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what happens after a request that fails. */
public final class AfterOomConverter implements ITypeConverter<AfterOom> {
  @Override
  public AfterOom convert(String text) {
    return Arrays.stream(AfterOom.values())
        .filter(each -> each.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is neither stop nor continue"));
  }
}
