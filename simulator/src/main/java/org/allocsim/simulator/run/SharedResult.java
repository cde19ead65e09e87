package org.allocsim.simulator.run;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of several tenants on one device.
 *
 * @param totalBytes size of the device
 * @param tenants what came of each, in the order in which they were given
 * @param first what failed first; null where nothing did
 * @param peak the first moment at which the tenants held the most together
 */
public record SharedResult(
    long totalBytes, List<TenantResult> tenants, @Nullable FirstFailure first, Moment peak) {

  /** Keeps its own copy. */
  public SharedResult {
    tenants = List.copyOf(tenants);
  }

  /**
   * What a tenant holds of the device.
   *
   * @param contextBytes its context; 0 while it does not run
   * @param takenBytes what it has taken beside it, in whole pages
   * @param reservedBytes the part of it that its allocator holds
   * @param allocatedBytes the part of that in blocks in use
   */
  public record Holding(
      long contextBytes, long takenBytes, long reservedBytes, long allocatedBytes) {
    /** Nothing: a tenant that has not started, or has ended. */
    static final Holding NONE = new Holding(0, 0, 0, 0);

    /** All of it, as {@code nvidia-smi} shows it for a process. */
    public long bytes() {
      return contextBytes + takenBytes;
    }

    /** Held by the allocator and not in use. */
    public long cachedBytes() {
      return reservedBytes - allocatedBytes;
    }
  }

  /**
   * The device at one moment.
   *
   * @param nanos when, on the tenants' common clock
   * @param holdings what each tenant held
   */
  public record Moment(long nanos, List<Holding> holdings) {
    /** Keeps its own copy. */
    public Moment {
      holdings = List.copyOf(holdings);
    }

    /** What all tenants held together. */
    public long bytes() {
      return holdings.stream().mapToLong(Holding::bytes).sum();
    }
  }

  /**
   * What failed first.
   *
   * @param tenant number of the tenant
   * @param request the request that failed; null where there was no room for its context
   * @param moment who held what then
   */
  public record FirstFailure(int tenant, @Nullable FailedRequest request, Moment moment) {}

  /**
   * What came of a tenant.
   *
   * @param tenant who it is
   * @param run what its allocator did; null where there was no room for its context
   * @param endNanos when its last request came
   * @param stopped whether it ended at a request that failed
   * @param peakBytes the most that it held of the device, with its context
   * @param left what it held after its last request, or gave back by its exit
   */
  public record TenantResult(
      Tenant tenant,
      @Nullable RunResult run,
      long endNanos,
      boolean stopped,
      long peakBytes,
      Holding left) {
    /** Whether it started and every request was served. */
    public boolean passes() {
      return run != null && run.passes();
    }
  }

  /** Whether all tenants started and every request was served. */
  public boolean passes() {
    return tenants.stream().allMatch(TenantResult::passes);
  }

  /** What failed first. */
  public Optional<FirstFailure> firstFailure() {
    return Optional.ofNullable(first);
  }
}
