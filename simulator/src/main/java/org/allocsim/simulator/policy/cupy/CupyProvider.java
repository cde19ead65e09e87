package org.allocsim.simulator.policy.cupy;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link CupyMemoryPool}s. */
public final class CupyProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "cupy",
          "CuPy's MemoryPool: best fit, segments of exactly the request, one arena per stream",
          "cupy/cupy, cupy/cuda/memory.pyx, 14.2.0, recorded; 6b6d956 (2026-08), driven",
          List.of());

  /** A provider; the service loader makes it. */
  public CupyProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new CupyMemoryPool(limitBytes, device, listener);
  }
}
