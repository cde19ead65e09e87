package org.allocsim.simulator.policy;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The policies that are installed. */
public final class Policies {
  private Policies() {}

  /** All providers by ascending id. */
  public static List<PolicyProvider> all() {
    return ServiceLoader.load(PolicyProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparing(provider -> provider.spec().id()))
        .toList();
  }

  /** The provider with an id. */
  public static Optional<PolicyProvider> named(String id) {
    return all().stream().filter(provider -> provider.spec().id().equals(id)).findFirst();
  }
}
