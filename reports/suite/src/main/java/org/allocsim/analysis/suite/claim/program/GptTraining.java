package org.allocsim.analysis.suite.claim.program;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.Programs;

/** Three iterations of GPT-2 on batches of eight sequences, with what a claim changes of them. */
final class GptTraining {
  private GptTraining() {}

  static AllocationTrace of(Map<String, String> options) {
    Map<String, String> all =
        new HashMap<>(Map.of("iterations", "3", "batch", "8", "shortest", "256", "longest", "256"));
    all.putAll(options);
    return Programs.generate("gpt", all, 1);
  }
}
