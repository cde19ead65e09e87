package org.allocsim.reports.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Policies to look at, each once, in the order in which they were named.
 *
 * @param specs their descriptions
 */
record PolicyList(List<PolicySpec> specs) {
  /** Keeps its own copy. */
  PolicyList {
    specs = List.copyOf(specs);
  }

  /** Reads ids between commas, or {@code all}. */
  static final class Converter implements ITypeConverter<PolicyList> {
    private static final String ALL = "all";
    private final PolicyConverter one = new PolicyConverter();

    @Override
    public PolicyList convert(String text) {
      if (text.equals(ALL)) {
        return new PolicyList(Policies.all().stream().map(PolicyProvider::spec).toList());
      }
      SequencedMap<String, PolicySpec> specs = new LinkedHashMap<>();
      for (String id : text.split(",", -1)) {
        if (id.isBlank()) {
          throw new TypeConversionException(
              "'" + text + "' names no policy between two commas; write all or ID,ID");
        }
        PolicySpec spec = one.convert(id.strip());
        specs.putIfAbsent(spec.id(), spec);
      }
      return new PolicyList(List.copyOf(specs.values()));
    }
  }
}
