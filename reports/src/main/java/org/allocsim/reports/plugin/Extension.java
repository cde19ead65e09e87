package org.allocsim.reports.plugin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Function;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;

/**
 * What a plugin can add.
 *
 * @param service interface that its class implements
 * @param word what users call it
 * @param description what lists show of it, its id first; null where a part is missing
 */
record Extension<S>(Class<S> service, String word, Function<S, List<?>> description) {
  /** All kinds. */
  static final List<Extension<?>> ALL =
      List.of(
          new Extension<>(PolicyProvider.class, "policy", provider -> policy(provider.spec())),
          new Extension<>(TraceFormat.class, "trace format", Extension::format),
          new Extension<>(ProgramProvider.class, "program", Extension::program));

  /** Name of the file in a jar that names the classes. */
  String serviceFile() {
    return "META-INF/services/" + service.getName();
  }

  /** Ids that a class loader finds. */
  List<String> ids(ClassLoader loader) {
    return ServiceLoader.load(service, loader).stream()
        .map(provider -> description.apply(provider.get()).getFirst().toString())
        .toList();
  }

  /** What lists show of an object of the service. */
  List<?> describe(Object provider) {
    return description.apply(service.cast(provider));
  }

  private static List<?> policy(PolicySpec spec) {
    List<Object> parts =
        new ArrayList<>(Arrays.asList(spec.id(), spec.kind(), spec.summary(), spec.source()));
    for (PolicySpec.Option option : spec.options()) {
      parts.addAll(
          Arrays.asList(option.name(), option.defaultValue(), option.unit(), option.meaning()));
    }
    return parts;
  }

  private static List<?> format(TraceFormat format) {
    List<Object> parts = new ArrayList<>(Arrays.asList(format.id(), format.summary()));
    parts.addAll(format.extensions());
    parts.add(format.writer());
    return parts;
  }

  private static List<?> program(ProgramProvider program) {
    List<Object> parts = new ArrayList<>(Arrays.asList(program.id(), program.summary()));
    for (ProgramOption option : program.options()) {
      parts.addAll(Arrays.asList(option.name(), option.standard(), option.meaning()));
    }
    return parts;
  }
}
