package org.allocsim.simulator.policy;

import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolOptions;
import org.jspecify.annotations.Nullable;

/**
 * What a policy that plans ahead may look at: all requests of one device of a trace.
 *
 * @param trace the requests, or null where they are not known beforehand
 * @param device index of the device
 */
public record FutureRequests(@Nullable AllocationTrace trace, int device) {
  /** Nothing is known of the requests that will come. */
  public static final FutureRequests NONE = new FutureRequests(null, 0);

  /** Whether settings or limit may change on the way. */
  public boolean changeAllocator() {
    return trace != null && trace.changesAllocator();
  }

  /** By number, how the program made its pools; plain ones are left out. */
  public Map<Integer, PoolOptions> poolOptions() {
    Map<Integer, PoolOptions> special = new TreeMap<>();
    for (int pool = 1; trace != null && pool < trace.poolCount(); pool++) {
      if (!trace.poolOptions(pool).equals(PoolOptions.PLAIN)) {
        special.put(pool, trace.poolOptions(pool));
      }
    }
    return special;
  }

  /** Whether the requests are known. */
  public boolean isKnown() {
    return trace != null;
  }
}
