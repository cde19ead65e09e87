package org.allocsim.reports.cli;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;

/** A policy that takes memory and fails at its tenth request. */
public final class FailingPolicyProvider implements PolicyProvider {
  /** A provider; the service loader makes it. */
  public FailingPolicyProvider() {}

  @Override
  public PolicySpec spec() {
    return new PolicySpec("failing", "fails at its tenth request", "none", List.of());
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings,
      FutureRequests future,
      DeviceMemory device,
      EffectListener listener) {
    return new AllocatorPolicy() {
      private int requests;

      @Override
      public long allocate(int allocation, long requestedBytes, int stream, int pool) {
        if (++requests == 10) {
          throw new IllegalStateException("the policy failed");
        }
        return device.allocate(requestedBytes);
      }

      @Override
      public void free(int allocation) {}

      @Override
      public void describeLayout(LayoutVisitor visitor) {}
    };
  }
}
