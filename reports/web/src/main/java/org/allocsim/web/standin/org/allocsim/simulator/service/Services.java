package org.allocsim.web.standin.org.allocsim.simulator.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.pytorch.conf.CachingAllocatorProvider;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;

/**
 * The services of the engine: it reads snapshots and has PyTorch's allocator.
 *
 * @param <S> the service
 */
public final class Services<S> {
  private static final List<Object> INSTALLED =
      List.of(new SnapshotFormat(), new CachingAllocatorProvider());

  private final List<S> services = new ArrayList<>();
  private final Function<S, String> id;

  /** The implementations of a service. */
  @SuppressWarnings("unchecked") // each is tested
  public Services(Class<S> service, Function<S, String> id) {
    this.id = id;
    for (Object each : INSTALLED) {
      boolean isWanted =
          service == TraceFormat.class && each instanceof TraceFormat
              || service == PolicyProvider.class && each instanceof PolicyProvider;
      if (isWanted) {
        services.add((S) each);
      }
    }
  }

  /** All by ascending id. */
  public List<S> all() {
    return services;
  }

  /** The one with an id. */
  public Optional<S> named(String wanted) {
    return services.stream().filter(each -> id.apply(each).equals(wanted)).findFirst();
  }
}
