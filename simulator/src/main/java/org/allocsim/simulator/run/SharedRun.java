package org.allocsim.simulator.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.run.SharedResult.FirstFailure;
import org.allocsim.simulator.run.SharedResult.Holding;
import org.allocsim.simulator.run.SharedResult.Moment;
import org.allocsim.simulator.run.SharedResult.TenantResult;
import org.jspecify.annotations.Nullable;

/**
 * Several processes on one simulated device. Each has its own allocator, addresses and context;
 * what they hold is taken from one capacity, and the free bytes that one sees are less what the
 * others hold. A call that fails for lack of memory is handled by the allocator that made it, as
 * with one process: no process releases memory for another.
 *
 * <p>Requests come in the order of their times on a common clock, those at the same time in the
 * order of the tenants; who starts does so before requests of that time. If no tenant's trace has
 * times, all run at an even pace and end together; a trace without times runs as long as the
 * longest trace with times. Nobody waits for another: a tenant's requests come when they came,
 * however long calls take.
 *
 * <p>The driver may bound what a tenant has: it then sees no more free, and is refused more,
 * however much is free.
 *
 * <p>A tenant that ends at a failed request ({@link AfterOom#STOP}) gives everything back, as a
 * process does that dies.
 */
public final class SharedRun {
  private final List<Place> places = new ArrayList<>();
  private final long totalBytes;
  private final SharedObserver observer;
  private long heldBytes;
  private long peakBytes;
  private Moment peak = new Moment(0, List.of());
  private @Nullable FirstFailure first;

  private SharedRun(List<Tenant> tenants, SharedObserver observer) {
    this.observer = observer;
    totalBytes = tenants.getFirst().device().profile().totalBytes();
    long spanNanos = spanNanos(tenants);
    for (Tenant tenant : tenants) {
      if (tenant.device().profile().totalBytes() != totalBytes) {
        throw new IllegalArgumentException(
            "%s is on a device of a different size than %s"
                .formatted(tenant.name(), tenants.getFirst().name()));
      }
      places.add(new Place(places.size(), tenant, spanNanos));
    }
    peak = now(0);
  }

  /** For how long traces without times run: as long as the longest, at a row each nanosecond. */
  private static long spanNanos(List<Tenant> tenants) {
    long timed = 0;
    long rows = 0;
    for (Tenant tenant : tenants) {
      timed = Math.max(timed, TenantClock.spanNanos(tenant.setup().trace()));
      rows = Math.max(rows, tenant.setup().trace().eventCount());
    }
    return timed > 0 ? timed : rows;
  }

  /**
   * Runs all tenants to their ends.
   *
   * @param tenants at least one
   */
  public static SharedResult of(List<Tenant> tenants) {
    return of(tenants, SharedObserver.NONE);
  }

  /** As above, followed by an observer. */
  public static SharedResult of(List<Tenant> tenants, SharedObserver observer) {
    return new SharedRun(tenants, observer).run();
  }

  private SharedResult run() {
    List<Place> waiting = new ArrayList<>(places);
    while (!waiting.isEmpty()) {
      Place next = Collections.min(waiting);
      waiting.remove(next);
      Place rival = waiting.isEmpty() ? null : Collections.min(waiting);
      if (next.advance(rival)) {
        waiting.add(next);
      }
    }
    return new SharedResult(totalBytes, places.stream().map(Place::result).toList(), first, peak);
  }

  private Moment now(long nanos) {
    return new Moment(nanos, places.stream().map(Place::holding).toList());
  }

  private void failed(int tenant, @Nullable FailedRequest request, long nanos) {
    if (first == null) {
      first = new FirstFailure(tenant, request, now(nanos));
    }
  }

  /** A tenant's place among the others, ordered by when its next row comes. */
  private final class Place implements Comparable<Place>, RunObserver, EffectListener {
    private final int number;
    private final Tenant tenant;
    private final TenantClock clock;
    private @Nullable Run run;

    /** Null while it is not there. */
    private @Nullable SimulatedDevice device;

    /** When the row that was sent last came. */
    private long sentNanos;

    private int nextRow;

    /** When the row comes that is to be sent next. */
    private long nextNanos;

    private @Nullable RunResult result;
    private boolean stopped;

    /** What it holds, with its context. */
    private long bytes;

    private long maxBytes;
    private Holding left = Holding.NONE;

    Place(int number, Tenant tenant, long spanNanos) {
      this.number = number;
      this.tenant = tenant;
      clock = new TenantClock(tenant.setup().trace(), tenant.startNanos(), spanNanos);
      nextNanos = tenant.startNanos();
      sentNanos = nextNanos;
    }

    @Override
    public int compareTo(Place other) {
      if (nextNanos != other.nextNanos) {
        return Long.compare(nextNanos, other.nextNanos);
      }
      boolean starts = run == null;
      boolean otherStarts = other.run == null;
      return starts == otherStarts ? Integer.compare(number, other.number) : starts ? -1 : 1;
    }

    /** Goes on until another one's turn comes; answers whether it has rows left. */
    boolean advance(@Nullable Place rival) {
      if (run == null) {
        return begin();
      }
      Run going = run;
      if (going.sendWhile(row -> comesBefore(row, rival))) {
        hold();
        observer.paused(number, nextRow);
        return true;
      }
      observer.paused(number, Integer.MAX_VALUE);
      end(going);
      return false;
    }

    private boolean comesBefore(int row, @Nullable Place rival) {
      nextRow = row;
      nextNanos = clock.at(row);
      return rival == null || compareTo(rival) < 0;
    }

    /** Starts; answers whether it could. */
    private boolean begin() {
      if (tenant.contextBytes() > totalBytes - heldBytes) {
        failed(number, null, nextNanos);
        return false;
      }
      SimulatedDevice own = new SimulatedDevice(tenant.device().profile(), this::withheldBytes);
      device = own;
      hold();
      RunSetup setup =
          tenant.setup().with(new MemorySource.Shared(own, observer.memory(number, own)));
      try {
        run = Run.start(setup, this);
        hold();
        return true;
      } catch (UnfitTraceException e) {
        result = RunResult.notRun(setup, "needs " + e.getMessage());
      } catch (PolicyOptionException e) {
        result = RunResult.notRun(setup, e.getMessage());
      }
      leave();
      return false;
    }

    /** What others hold, or what the driver keeps from it by a bound of its own if that is more. */
    private long withheldBytes() {
      long capacityBytes = tenant.device().profile().capacityBytes();
      return tenant.roomBytes() < 0
          ? othersBytes()
          : Math.max(othersBytes(), capacityBytes - tenant.roomBytes());
    }

    private long othersBytes() {
      long sum = 0;
      for (Place place : places) {
        sum += place == this ? 0 : place.bytesNow();
      }
      return sum;
    }

    private long bytesNow() {
      return device == null ? 0 : tenant.contextBytes() + device.takenBytes();
    }

    private void end(Run ended) {
      left = holding();
      stopped = tenant.setup().course().afterOom() == AfterOom.STOP && ended.failures().count() > 0;
      if (tenant.exits() || stopped) {
        leave();
      }
    }

    /** The process is gone. */
    private void leave() {
      device = null;
      hold();
    }

    /** Takes notice of what it holds now. */
    private void hold() {
      long now = bytesNow();
      if (now == bytes) {
        return;
      }
      heldBytes += now - bytes;
      bytes = now;
      maxBytes = Math.max(maxBytes, now);
      observer.changed(sentNanos, number, now);
      if (heldBytes > peakBytes) {
        peakBytes = heldBytes;
        peak = now(sentNanos);
      }
    }

    Holding holding() {
      if (device == null) {
        return Holding.NONE;
      }
      return new Holding(
          tenant.contextBytes(),
          device.takenBytes(),
          run == null ? 0 : run.stats().reservedBytes(),
          run == null ? 0 : run.stats().allocatedBytes());
    }

    TenantResult result() {
      return new TenantResult(
          tenant, run == null ? result : run.end(), sentNanos, stopped, maxBytes, left);
    }

    @Override
    public EffectListener effects() {
      return this;
    }

    @Override
    public boolean followsBlocks() {
      return false;
    }

    /** The pool of stream-ordered memory may have changed without a segment of the allocator. */
    @Override
    public void deviceCalled(int row) {
      hold();
    }

    @Override
    public boolean before(int row) {
      sentNanos = nextNanos;
      return true;
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      requestFailed();
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      requestFailed();
    }

    /** The run's own list of failed requests hears before its observers. */
    private void requestFailed() {
      if (run != null) {
        failed(number, run.failures().kept().getLast(), sentNanos);
      }
    }
  }
}
