package org.allocsim.analysis.fleet.sweep;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/**
 * One run of a trace.
 *
 * @param choice the allocator with all its options
 * @param version release whose rules policy pytorch follows
 * @param profile the GPU
 * @param limitBytes the allocator's own limit, −1 without one
 * @param isRecordedConf whether the settings are those of the recording
 * @param obstacle why it cannot be run; null where it can
 */
record SweepCell(
    PolicyChoice choice,
    PyTorchVersion version,
    DeviceProfile profile,
    long limitBytes,
    boolean isRecordedConf,
    @Nullable String obstacle) {
  static final String CONF = "conf";
  static final String VERSION = "torch-version";

  String policy() {
    return choice.provider().spec().id();
  }

  boolean isPyTorch() {
    return policy().equals(Program.PYTORCH);
  }

  String conf() {
    return isPyTorch() ? choice.options().getOrDefault(CONF, "") : "";
  }

  /** Options that no other column has. */
  String otherOptions() {
    return choice.options().entrySet().stream()
        .filter(option ->
            !isPyTorch() || !option.getKey().equals(CONF) && !option.getKey().equals(VERSION))
        .map(Map.Entry::toString)
        .collect(Collectors.joining(";"));
  }

  /** What the grid decides of a row. */
  SweepRow.Builder describe(SweepRow.Builder row) {
    return row.set(SweepColumn.POLICY, policy())
        .set(SweepColumn.CONF, conf())
        .set(SweepColumn.OPTIONS, otherOptions())
        .set(SweepColumn.TORCH_VERSION, isPyTorch() ? version.id() : null)
        .set(SweepColumn.IS_RECORDED_CONF, isPyTorch() ? isRecordedConf : null)
        .set(SweepColumn.DEVICE, profile.name())
        .set(SweepColumn.CAPACITY_BYTES, profile.capacityBytes())
        .set(SweepColumn.LIMIT_BYTES, limitBytes < 0 ? null : limitBytes);
  }

  /** Distinguishes this run from others of the same trace. */
  List<Object> identity() {
    return describe(new SweepRow.Builder()).identity();
  }
}
