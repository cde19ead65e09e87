package org.allocsim.simulator.policy.cub;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link CachingDeviceAllocator}s. */
public final class CubProvider extends OptionsProvider {
  private static final String GROWTH = "bin-growth";
  private static final String MIN_BIN = "min-bin";
  private static final String MAX_BIN = "max-bin";
  private static final String MAX_CACHED = "max-cached";
  private static final String UNLIMITED = "unlimited";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "cub",
          "CUB's CachingDeviceAllocator: blocks of fixed sizes, cached up to a limit",
          "NVIDIA/cccl, cub/util_allocator.cuh, CUB 3.0.1, recorded on an H100; 571f2fc"
              + " (2026-08), driven",
          List.of(
              new PolicySpec.Option(GROWTH, "8", "", "size ratio of adjacent bins, from 2 to 1024"),
              new PolicySpec.Option(
                  MIN_BIN, "3", "", "smallest bin; bin p holds blocks of bin-growth^p bytes"),
              new PolicySpec.Option(
                  MAX_BIN, "7", "", "largest bin, or unlimited; larger requests are not cached"),
              new PolicySpec.Option(
                  MAX_CACHED, "6291455", "bytes", "maximum size of the cache, or unlimited")));

  /** A provider; the service loader makes it. */
  public CubProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    int growth = (int) options.integer(GROWTH, 2, 1024);
    int largest = largestBin(growth);
    int minBin = (int) options.integer(MIN_BIN, 0, largest);
    int maxBin =
        options.text(MAX_BIN).equals(UNLIMITED)
            ? largest
            : (int) Math.min(largest, options.integer(MAX_BIN, minBin, Integer.MAX_VALUE));
    long maxCachedBytes =
        options.text(MAX_CACHED).equals(UNLIMITED) ? Long.MAX_VALUE : options.bytes(MAX_CACHED, 0);
    return new CachingDeviceAllocator(
        new CubSettings(growth, minBin, maxBin, maxCachedBytes), limitBytes, device, listener);
  }

  /** The last bin whose blocks are smaller than 2^63 bytes. */
  private static int largestBin(int growth) {
    int bin = 0;
    for (long bytes = 1; bytes <= Long.MAX_VALUE / growth; bytes *= growth) {
      bin++;
    }
    return bin;
  }
}
