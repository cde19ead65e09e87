package org.allocsim.validation.gpu;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.allocsim.simulator.device.cost.DriverCall;

/**
 * How long the driver's calls take on this host now, over what a profile says. The calls take the
 * time of the host's processor, whose clock changes within seconds (on hosts of H100 and H200 by a
 * factor of two), and hosts of the same GPU differ. Each kind of call has a figure of its own:
 * calls of blocks and of virtual memory wait for the kernel and the GPU, those of the pool for the
 * processor's caches.
 *
 * @param blocks measured over predicted time of {@code cuMemAlloc} and {@code cuMemFree}
 * @param handles the same of virtual memory
 * @param pool the same of the pool of stream-ordered memory
 */
public record HostSlowness(double blocks, double handles, double pool) {
  /** A host that is as fast as the profile says. */
  static final HostSlowness OF_PROFILE = new HostSlowness(1, 1, 1);

  /** Measured over predicted time of calls of a kind. */
  public double of(DriverCall call) {
    boolean isBlock = call == DriverCall.ALLOCATE || call == DriverCall.FREE;
    return isBlock ? blocks : call.isStreamOrdered() ? pool : handles;
  }

  /** The same of calls of the device port. */
  double of(PortCall call) {
    return isBlock(call) ? blocks : call.isStreamOrdered() ? pool : handles;
  }

  private static boolean isBlock(PortCall call) {
    return call == PortCall.ALLOCATE || call == PortCall.FREE;
  }

  /** That between two moments. */
  HostSlowness and(HostSlowness other) {
    return new HostSlowness(
        (blocks + other.blocks) / 2, (handles + other.handles) / 2, (pool + other.pool) / 2);
  }

  /**
   * What the times of the same calls on both devices say.
   *
   * @param calls how many of them agree
   */
  static HostSlowness of(List<LoggedCall> predicted, List<LoggedCall> measured, int calls) {
    return new HostSlowness(
        slowness(predicted, measured, calls, HostSlowness::isBlock),
        slowness(predicted, measured, calls, call -> !isBlock(call) && !call.isStreamOrdered()),
        slowness(predicted, measured, calls, PortCall::isStreamOrdered));
  }

  /**
   * Half of the predicted time belongs to calls that take longer over their prediction, half to
   * those that take less. A few calls during which the thread is interrupted do not matter so.
   */
  private static double slowness(
      List<LoggedCall> predicted, List<LoggedCall> measured, int calls, Predicate<PortCall> kind) {
    record Call(double slowness, long predictedNanos) {}

    List<Call> all = new ArrayList<>();
    long sum = 0;
    for (int call = 0; call < calls; call++) {
      long nanos = predicted.get(call).nanos();
      if (nanos > 0 && kind.test(predicted.get(call).kind())) {
        all.add(new Call((double) measured.get(call).nanos() / nanos, nanos));
        sum += nanos;
      }
    }
    all.sort(Comparator.comparingDouble(Call::slowness));
    long before = 0;
    for (Call call : all) {
      before += call.predictedNanos();
      if (2 * before >= sum) {
        return call.slowness() > 0 ? call.slowness() : 1;
      }
    }
    return 1;
  }
}
