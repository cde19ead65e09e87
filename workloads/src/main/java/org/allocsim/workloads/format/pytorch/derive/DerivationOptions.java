package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * What is known of a recording beside the snapshot.
 *
 * @param config the settings that the recorded allocator had
 * @param version the release that made the recording
 * @param limitBytes bytes that it was allowed to reserve, −1 where no limit is known
 * @param deviceTotalBytes size of the recorded device, −1 where it is not known
 */
public record DerivationOptions(
    AllocatorConfig config, PyTorchVersion version, long limitBytes, long deviceTotalBytes) {
  DerivationOptions withLimit(long bytes) {
    return new DerivationOptions(config, version, bytes, deviceTotalBytes);
  }
}
