package org.allocsim.simulator.policy;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.service.Services;

/** The policies that are installed. */
public final class Policies {
  private static final Services<PolicyProvider> INSTALLED =
      new Services<>(PolicyProvider.class, provider -> provider.spec().id());

  private Policies() {}

  /** All providers by ascending id. */
  public static List<PolicyProvider> all() {
    return INSTALLED.all();
  }

  /** The provider with an id. */
  public static Optional<PolicyProvider> named(String id) {
    return INSTALLED.named(id);
  }
}
