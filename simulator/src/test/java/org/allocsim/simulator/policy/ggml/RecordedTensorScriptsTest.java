package org.allocsim.simulator.policy.ggml;

import org.allocsim.simulator.policy.RecordedScript;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tensors and graphs that {@code ggml-alloc.c} of ggml-org/ggml d99724f2 (August 2026) placed in
 * the same way when they were recorded. A line is an operation or a tensor and, after {@code =>},
 * where it lies.
 */
class RecordedTensorScriptsTest {
  @ParameterizedTest
  @ValueSource(strings = {"tensors", "tensors-chunks"})
  void tensorsLieWhereGgmlPlacesThem(String script) {
    RecordedScript.check(TensorScript.class, script + ".txt", TensorScript::replay);
  }

  @ParameterizedTest
  @ValueSource(strings = {"graph", "graph-wide"})
  void tensorsOfAGraphLieWhereGgmlPlacesThem(String script) {
    RecordedScript.check(GraphScript.class, script + ".txt", GraphScript::replay);
  }
}
