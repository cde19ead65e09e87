package org.allocsim.reports.cli.option;

import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.ITypeConverter;

/** Reads what happens after a request that fails. */
public final class AfterOomConverter implements ITypeConverter<AfterOom> {
  @Override
  public AfterOom convert(String text) {
    return Choices.of(AfterOom.class, text);
  }
}
