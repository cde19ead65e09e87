package org.allocsim.reports.cli.look;

import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the id of a policy. */
final class PolicyConverter implements ITypeConverter<PolicySpec> {
  @Override
  public PolicySpec convert(String text) {
    return Policies.named(text)
        .map(PolicyProvider::spec)
        .orElseThrow(() ->
            new TypeConversionException(
                "'" + text + "' is not a policy; " + Policies.remedy(text)));
  }
}
