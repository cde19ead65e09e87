package org.allocsim.reports.cli;

import java.util.Map;
import org.allocsim.reports.advice.AfterOom;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.PolicyTrial;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * How much of a recording's time its allocator spent in driver calls: what is left is the program's
 * own, which it keeps under any other allocator.
 */
final class RecordedDriverTime {
  private RecordedDriverTime() {}

  /**
   * The time by row.
   *
   * @param conf settings that were recorded
   * @param profile the device that the recording is taken to be from
   */
  static long[] of(
      AllocationTrace trace,
      int device,
      String conf,
      DeviceProfile profile,
      PyTorchVersion version) {
    PolicyChoice recorded =
        new PolicyChoice(
            PolicyChoice.parseList(Scenario.PYTORCH).getFirst().provider(),
            Map.of("conf", conf, "torch-version", version.id()));
    return new PolicyTrial(trace, device, profile, MemoryLimit.NONE, version, AfterOom.CONTINUE)
        .driverNanosByRow(recorded);
  }
}
