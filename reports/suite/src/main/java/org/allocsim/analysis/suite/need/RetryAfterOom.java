package org.allocsim.analysis.suite.need;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.trace.AllocationTrace;

/** A program that catches an error and tries again. */
public final class RetryAfterOom implements SuiteScenario {
  private static final String FIRST = "first attempt";
  private static final String LET_GO = "between";
  private static final String SECOND = "second attempt";
  private static final long GPU_BYTES = Requests.gib(7.92);

  /** Context and other processes, as the published message leaves for them. */
  private static final long OTHER_BYTES = Requests.gib(0.53);

  private static final long WEIGHT_BYTES = 10_000L * 10_000 * 4;

  /** Layers that a single attempt asks for: the published 19 and the one that fails. */
  private static final int LAYERS = 20;

  @Override
  public Topic topic() {
    return new Topic(
        "retry-after-oom",
        Kind.NEED,
        "a caught OOM keeps the memory of the failed attempt",
        "pytorch/pytorch#27600 (Linear(10000, 10000) on 7.92 GiB), #18853, #82218; "
            + "PyTorch FAQ",
        "Layers of 10 000 by 10 000 are created until one fails, then once more. Before: the"
            + " exception, and with it the frames of the first attempt, is kept; after: it is"
            + " released before the second attempt.");
  }

  @Override
  public List<Variant> variants() {
    Variant held =
        Variant.of("exception kept", attempts(true)).capacity(GPU_BYTES - OTHER_BYTES).goingOn();
    return List.of(held, held.named("exception released").running(attempts(false)));
  }

  private static AllocationTrace attempts(boolean held) {
    Requests program = new Requests();
    List<Integer> first = attempt(program);
    program.mark(FIRST);
    if (!held) {
      program.freeAll(first);
    }
    program.mark(LET_GO);
    attempt(program);
    program.mark(SECOND);
    return program.build();
  }

  private static List<Integer> attempt(Requests program) {
    List<Integer> made = new ArrayList<>();
    for (int layer = 0; layer < LAYERS; layer++) {
      made.add(program.allocate(WEIGHT_BYTES));
    }
    return made;
  }

  @Override
  public Findings judge(Outcome held, Outcome letGo, Outcomes outcomes) {
    return Findings.ofFailure()
        .shows(
            made(held, FIRST) + " layers, then " + second(held),
            made(letGo, FIRST) + " layers, then " + second(letGo))
        .count("layers in the first attempt, exception kept", 19, made(held, FIRST))
        .count("layers in the second attempt, exception kept", 0, second(held))
        .count("layers in the first attempt, exception released", 19, made(letGo, FIRST))
        .count("layers in the second attempt, exception released", 19, second(letGo))
        .conclude(
            "The exception's traceback refers to the frames of the failed attempt, and these"
                + " refer to its tensors: while the exception is kept, the second attempt"
                + " creates {} layers, once it is released {}.",
            String.valueOf(second(held)),
            String.valueOf(second(letGo)));
  }

  private static long made(Outcome outcome, String marker) {
    return outcome.at(marker).requestedBytes() / WEIGHT_BYTES;
  }

  private static long second(Outcome outcome) {
    return (outcome.at(SECOND).requestedBytes() - outcome.at(LET_GO).requestedBytes())
        / WEIGHT_BYTES;
  }
}
