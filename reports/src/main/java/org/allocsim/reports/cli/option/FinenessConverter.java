package org.allocsim.reports.cli.option;

import org.allocsim.analysis.tuning.TuningGrid.Fineness;
import picocli.CommandLine.ITypeConverter;

/** Reads how closely settings are searched. */
public final class FinenessConverter implements ITypeConverter<Fineness> {
  @Override
  public Fineness convert(String text) {
    return Choices.of(Fineness.class, text);
  }
}
