package org.allocsim.reports.cli.diagnose;

import org.allocsim.simulator.policy.PolicyChoice;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a policy with its options. */
public final class PolicyChoiceConverter implements ITypeConverter<PolicyChoice> {
  @Override
  public PolicyChoice convert(String text) {
    try {
      return PolicyChoice.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
