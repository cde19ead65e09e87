package org.allocsim.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.PolicyCase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The hot loop of a replay makes no object for a request: less than a byte of heap for each event,
 * of which two requests make three. The JVM counts bytes exactly, for each thread.
 */
class ReplayAllocatesNothingTest {
  private static final int PASSES = 5;

  @ParameterizedTest
  @ValueSource(strings = {"", "conf=expandable_segments:True"})
  void passesInSteadyStateMakeNoObjects(String options) throws Exception {
    PolicyProvider pytorch = Policies.named("pytorch").orElseThrow();
    Map<String, String> values = PolicyCase.parseOptions(options);
    AllocatorPass.Program program = AllocatorPass.Program.of(BenchmarkPlan.GPT);
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
    // The smallest object has 16 bytes: what is left is made now and then, not for each request.
    assertTrue(
        bytes < program.requests() * 3 / 2,
        bytes + " bytes for a pass of " + program.requests() + " requests");
  }
}
