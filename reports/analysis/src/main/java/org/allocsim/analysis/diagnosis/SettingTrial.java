package org.allocsim.analysis.diagnosis;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Recommendation;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * What a program needs under a setting, and how safe that is.
 *
 * @param smallestGpu the smallest known GPU; empty where it runs on none
 * @param copies changed copies that were replayed
 * @param failedCopies those of them in which a request fails
 */
public record SettingTrial(Optional<DeviceProfile> smallestGpu, int copies, int failedCopies) {
  /** A trial of which the runs are known. */
  public static SettingTrial of(Optional<DeviceProfile> smallestGpu, Optional<Fragility> copies) {
    return new SettingTrial(
        smallestGpu,
        copies.map(all -> all.runs().size()).orElse(0),
        copies.map(Fragility::failures).orElse(0));
  }

  /**
   * Tries a setting as a {@link Diagnosis} tries the one that it recommends.
   *
   * @param conf a string that the release takes
   */
  public static SettingTrial of(Program program, String conf, Tuning.Progress progress) {
    DeviceTrace input = program.input();
    RecordedConditions recordedConditions = program.recordedConditions();
    DeviceProfile profile = recordedConditions.profile().withHistory(input.addresses());
    Scenario scenario =
        Scenario.of(conf, program.release(), recordedConditions.limitBytes(), profile);
    RunResult result = Run.of(scenario.setup(input.trace(), input.device(), AfterOom.STOP));
    Tuning.Entry entry = new Tuning.Entry(conf, scenario, result, List.of(), List.of(), false);
    return of(
        CapacitySearch.smallestGpu(
            input.trace(),
            input.device(),
            device -> new Scenario(scenario.config(), program.release(), MemoryLimit.NONE, device),
            Demand.of(input.trace(), input.device(), scenario.config().allocator()),
            result),
        result.passes() && !recordedConditions.areUnknown()
            ? new Recommendation(entry, Optional.empty(), Optional.empty())
                .withCopies(input, progress)
                .copies()
            : Optional.empty());
  }
}
