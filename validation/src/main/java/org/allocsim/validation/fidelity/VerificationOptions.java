package org.allocsim.validation.fidelity;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * What a verification is given beside the snapshot.
 *
 * @param config the settings that the recorded allocator had
 * @param version the release that made the recording
 * @param limitBytes bytes that it was allowed to reserve, −1 where it had no limit or none is known
 * @param deviceTotalBytes size of the recorded device, −1 where it is not known
 */
public record VerificationOptions(
    AllocatorConfig config, PyTorchVersion version, long limitBytes, long deviceTotalBytes) {}
