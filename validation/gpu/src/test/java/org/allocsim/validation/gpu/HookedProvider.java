package org.allocsim.validation.gpu;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;

/**
 * A policy that runs something at one of its requests.
 *
 * @param base id of the policy that serves the requests
 * @param request which request, from 0
 * @param hook what is run after it
 */
record HookedProvider(String base, int request, Runnable hook) implements PolicyProvider {
  @Override
  public PolicySpec spec() {
    return Policies.named(base).orElseThrow().spec();
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException {
    AllocatorPolicy policy =
        Policies.named(base).orElseThrow().create(settings, future, device, listener);
    return new AllocatorPolicy() {
      private int requests;

      @Override
      public long allocate(int allocation, long requestedBytes, int stream, int pool) {
        long address = policy.allocate(allocation, requestedBytes, stream, pool);
        if (requests++ == request) {
          hook.run();
        }
        return address;
      }

      @Override
      public void free(int allocation) {
        policy.free(allocation);
      }

      @Override
      public void describeLayout(LayoutVisitor visitor) {
        policy.describeLayout(visitor);
      }
    };
  }
}
