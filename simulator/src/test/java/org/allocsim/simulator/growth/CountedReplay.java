package org.allocsim.simulator.growth;

import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Replays a scenario and counts its steps; its classes are those of a {@link StepCountingLoader}.
 */
public final class CountedReplay {
  private static final long CAPACITY_BYTES = 1L << 42;

  /** Answers that a policy did not run. */
  public static final long NOT_RUN = -1;

  private CountedReplay() {}

  /**
   * Replays.
   *
   * @param maxSteps where to stop with {@link Steps.Exceeded}
   */
  public static long steps(String policy, String scenario, int rows, long maxSteps) {
    AllocationTrace trace = Scenario.valueOf(scenario).trace(rows);
    RunSetup setup =
        new RunSetup(
            trace,
            0,
            PolicyChoice.parseList(policy).getFirst(),
            -1,
            DeviceProfiles.ofCapacity(CAPACITY_BYTES));
    Steps.start(maxSteps);
    RunResult result = Run.of(setup);
    long steps = Steps.stop();
    return result.isRun() ? steps : NOT_RUN;
  }
}
