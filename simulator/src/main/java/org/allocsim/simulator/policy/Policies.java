package org.allocsim.simulator.policy;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.service.Services;
import org.allocsim.simulator.typed.SimilarName;

/** The policies that are installed. */
public final class Policies {
  private static final Services<PolicyProvider> INSTALLED =
      new Services<>(PolicyProvider.class, provider -> provider.spec().id());

  private Policies() {}

  /** All providers by ascending id. */
  public static List<PolicyProvider> all() {
    return INSTALLED.all();
  }

  /** The id that an unknown one may have meant, or all ids: the end of a sentence. */
  public static String remedy(String unknown) {
    List<String> ids = all().stream().map(provider -> provider.spec().id()).toList();
    return SimilarName.remedy(unknown, ids, "known policies are " + String.join(", ", ids));
  }

  /** The provider with an id. */
  public static Optional<PolicyProvider> named(String id) {
    return INSTALLED.named(id);
  }
}
