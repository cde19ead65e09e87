package org.allocsim.simulator.service;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The implementations of a service that are named in {@code META-INF/services} of the class path
 * and of plugins: those that the context class loader finds. They are looked up once for each
 * loader.
 *
 * @param <S> the service
 */
public final class Services<S> {
  private final Class<S> service;
  private final Function<S, String> id;
  private volatile @Nullable Found<S> found;

  private record Found<S>(ClassLoader loader, List<S> services) {}

  /**
   * The implementations of a service.
   *
   * @param id how an implementation is named
   */
  public Services(Class<S> service, Function<S, String> id) {
    this.service = service;
    this.id = id;
  }

  /** All by ascending id. */
  public List<S> all() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    Found<S> known = found;
    if (known == null || !Objects.equals(known.loader, loader)) {
      known =
          new Found<>(
              loader,
              ServiceLoader.load(service, loader).stream()
                  .map(ServiceLoader.Provider::get)
                  .sorted(Comparator.comparing(id))
                  .toList());
      found = known;
    }
    return known.services;
  }

  /** The one with an id. */
  public Optional<S> named(String wanted) {
    return all().stream().filter(each -> id.apply(each).equals(wanted)).findFirst();
  }
}
