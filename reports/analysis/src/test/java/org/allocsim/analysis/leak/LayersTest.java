package org.allocsim.analysis.leak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The layers of one step look like iterations that leak, until its backward pass. */
class LayersTest {
  private static final long MIB = SyntheticProgram.MIB;

  /** One forward pass, without markers; what it keeps is freed by a backward pass, or never. */
  private static AllocationTrace step(int layers, boolean hasBackward) {
    SyntheticProgram program = new SyntheticProgram(1);
    Deque<Integer> saved = new ArrayDeque<>();
    for (int layer = 0; layer < layers; layer++) {
      int hidden = program.allocate(12 * MIB);
      saved.push(program.allocate(16 * MIB));
      program.trace.free(program.allocate(3 * MIB));
      saved.push(program.allocate(4 * MIB));
      program.trace.free(hidden);
    }
    while (hasBackward && !saved.isEmpty()) {
      int gradient = program.allocate(5 * MIB);
      program.trace.free(saved.pop());
      program.trace.free(gradient);
    }
    return program.build();
  }

  private static LeakAnalysis analyse(AllocationTrace trace) throws IterationException {
    return SyntheticProgram.analyse(
        trace, AllocatorConfig.DEFAULT, new IterationFinder(trace, 0).byPeriod());
  }

  @ParameterizedTest
  @ValueSource(ints = {24, 32, 48})
  void layersWhoseActivationsTheBackwardPassFreesAreNoIterations(int layers) {
    IterationException none =
        assertThrows(IterationException.class, () -> analyse(step(layers, true)));
    assertTrue(none.getMessage().startsWith("it holds no iterations"), none.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {24, 48})
  void whatIsNeverGivenBackIsStillALeak(int iterations) throws IterationException {
    assertEquals(LeakVerdict.LEAK, analyse(step(iterations, false)).verdict());
  }
}
