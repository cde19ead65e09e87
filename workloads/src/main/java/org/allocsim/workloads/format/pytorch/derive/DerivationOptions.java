package org.allocsim.workloads.format.pytorch.derive;

import java.util.Optional;
import java.util.OptionalLong;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;

/**
 * What is known of a recording beside the snapshot.
 *
 * @param config the settings that the recorded allocator had
 * @param version the release that made the recording
 * @param limitBytes bytes that it was allowed to reserve, −1 where no limit is known
 * @param deviceTotalBytes size of the recorded device, −1 where it is not known
 * @param facts what {@code allocsim record} took down; empty where a snapshot says all
 */
public record DerivationOptions(
    AllocatorConfig config,
    PyTorchVersion version,
    long limitBytes,
    long deviceTotalBytes,
    Optional<RecordedFacts> facts) {

  /** Options of a recording that nobody added facts to. */
  public DerivationOptions(
      AllocatorConfig config, PyTorchVersion version, long limitBytes, long deviceTotalBytes) {
    this(config, version, limitBytes, deviceTotalBytes, Optional.empty());
  }

  DerivationOptions withLimit(long bytes) {
    return new DerivationOptions(config, version, bytes, deviceTotalBytes, facts);
  }

  DerivationOptions withoutFacts() {
    return new DerivationOptions(config, version, limitBytes, deviceTotalBytes);
  }

  /**
   * The same with what was recorded beside a snapshot, whose limits and memory go before what is
   * said: how the history came about depends on the recorded conditions alone. A limit that changed
   * on the way leaves the same to infer as a snapshot.
   */
  DerivationOptions with(RecordedFacts recorded) {
    if (!recorded.devices().stream().allMatch(RecordedFacts.Device::isLimitKnown)) {
      return this;
    }
    OptionalLong totalBytes =
        recorded.devices().stream().mapToLong(RecordedFacts.Device::totalBytes).max();
    return new DerivationOptions(
        config, version, limitBytes, totalBytes.orElse(deviceTotalBytes), Optional.of(recorded));
  }
}
