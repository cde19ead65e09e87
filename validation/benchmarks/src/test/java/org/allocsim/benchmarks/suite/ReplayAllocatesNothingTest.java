package org.allocsim.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hot loop of a replay makes no objects; the JVM counts bytes exactly, for each thread. */
class ReplayAllocatesNothingTest {
  private static final int PASSES = 5;

  /** What may be made for a whole pass, such as the observer of the replay. */
  private static final long MOST_BYTES_OF_A_PASS = 4096;

  @ParameterizedTest
  @ValueSource(strings = {"", "conf=expandable_segments:True"})
  void passesInSteadyStateMakeNoObjects(String options) throws Exception {
    PolicyProvider pytorch = Policies.named("pytorch").orElseThrow();
    Map<String, String> values = PolicyCase.parseOptions(options);
    AllocatorPass.Program program = AllocatorPass.Program.of(Inputs.GPT);
    AllocatorPass pass =
        new AllocatorPass(program, pytorch, values, DeviceProfiles.defaultProfile());
    for (int i = 0; i < PASSES; i++) {
      pass.run();
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < PASSES; i++) {
      pass.run();
    }
    long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / PASSES;
    assertTrue(
        bytes <= MOST_BYTES_OF_A_PASS,
        bytes + " bytes for a pass of " + program.requests() + " requests");
  }
}
