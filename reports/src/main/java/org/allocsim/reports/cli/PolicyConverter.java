package org.allocsim.reports.cli;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the id of a policy. */
final class PolicyConverter implements ITypeConverter<Policy> {
  @Override
  public Policy convert(String text) {
    return Policy.of(text)
        .orElseThrow(() ->
            new TypeConversionException(
                "'"
                    + text
                    + "' is not a policy; known policies are "
                    + Arrays.stream(Policy.values())
                        .map(Policy::id)
                        .collect(Collectors.joining(", "))));
  }
}
