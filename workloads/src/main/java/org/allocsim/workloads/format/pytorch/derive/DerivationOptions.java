package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/**
 * What is known of a recording beside the snapshot.
 *
 * @param config the settings that the recorded allocator had
 * @param limitBytes bytes that it was allowed to reserve, −1 where no limit is known
 * @param deviceTotalBytes size of the recorded device, −1 where it is not known
 */
public record DerivationOptions(AllocatorConfig config, long limitBytes, long deviceTotalBytes) {
  DerivationOptions withLimit(long bytes) {
    return new DerivationOptions(config, bytes, deviceTotalBytes);
  }
}
