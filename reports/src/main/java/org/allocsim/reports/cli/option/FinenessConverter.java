package org.allocsim.reports.cli.option;

import java.util.Arrays;
import org.allocsim.analysis.tuning.TuningGrid.Fineness;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how closely settings are searched. */
public final class FinenessConverter implements ITypeConverter<Fineness> {
  @Override
  public Fineness convert(String text) {
    return Arrays.stream(Fineness.values())
        .filter(each -> each.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of usual and fine"));
  }
}
