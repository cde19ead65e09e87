package org.allocsim.analysis.leak;

import static org.allocsim.analysis.leak.SyntheticProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.analysis.leak.Iterations.Source;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

class IterationFinderTest {
  private static final SyntheticProgram.Extra NOTHING = (_, _) -> {};

  @Test
  void numberedMarkersAreOneMarker() throws IterationException {
    Iterations iterations = finder(program(10)).byMarkers();
    assertEquals(Source.MARKER, iterations.source());
    assertEquals("step#N", iterations.name());
    assertEquals(10, iterations.count());
    assertEquals(iterations, finder(program(10)).byMarker("step#3"));
  }

  @Test
  void theMostRegularMarkerIsChosen() throws IterationException {
    SyntheticProgram program = new SyntheticProgram(1);
    for (int i = 0; i < 40; i++) {
      if (i % 3 == 0 || i % 7 == 0) {
        program.trace.markerBegin("validate");
      }
      program.iterate(1, MIB, 8 * MIB, NOTHING);
    }
    assertEquals("step#N", finder(program).any().name());
  }

  @Test
  void theSameIterationsAreFoundWithoutMarkers() throws IterationException {
    for (int seed = 0; seed < 10; seed++) {
      SyntheticProgram program = new SyntheticProgram(seed).iterate(25, MIB, 8 * MIB, NOTHING);
      AllocationTrace trace = program.build();
      Iterations marked = new IterationFinder(trace, 0).byMarkers();
      Iterations periodic = new IterationFinder(trace, 0).byPeriod();
      assertEquals(Source.PERIOD, periodic.source());
      assertTrue(Math.abs(periodic.count() - marked.count()) <= 1, periodic.toString());
      for (int i = 1; i < periodic.count(); i++) {
        int begins = 0;
        for (int event = periodic.begin(i); event < periodic.begin(i + 1); event++) {
          begins += trace.kind(event) == RequestKind.MARKER_BEGIN ? 1 : 0;
        }
        assertEquals(1, begins, "seed " + seed + ", iteration " + i);
      }
    }
  }

  @Test
  void aLayerIsNoIteration() throws IterationException {
    // 24 equal layers, whose activations pile up on the way forth and go on the way back.
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int steps = 8;
    for (int step = 0; step < steps; step++) {
      int[] kept = new int[24];
      for (int layer = 0; layer < 24; layer++) {
        kept[layer] = allocate(trace, 4 * MIB);
        trace.free(allocate(trace, 2 * MIB));
        trace.free(allocate(trace, 3 * MIB));
      }
      for (int layer = 23; layer >= 0; layer--) {
        trace.free(allocate(trace, 2 * MIB));
        trace.free(kept[layer]);
      }
      trace.free(allocate(trace, 5 * MIB));
    }
    Iterations iterations = finder(trace).byPeriod();
    assertTrue(Math.abs(iterations.count() - steps) <= 1, iterations.toString());
  }

  /** Requests of a model that embeds its input and calls its layers, {@code calls} times. */
  private static void modelCalls(
      AllocationTrace.Builder trace, StackTable.Builder stacks, int calls, int layers) {
    int program = stacks.frame("train.py", 10, "main");
    int module = stacks.frame("/site-packages/torch/nn/modules/module.py", 1794, "_call_impl");
    int embedding = stacks.frame("model.py", 50, "forward");
    int layer = stacks.frame("model.py", 52, "forward");
    int inside = stacks.frame("block.py", 7, "forward");
    for (int call = 0; call < calls; call++) {
      trace.at(0, 0, stacks.stack(embedding, module, program));
      trace.free(allocate(trace, MIB));
      for (int i = 0; i < layers; i++) {
        trace.at(0, 0, stacks.stack(inside, module, layer, module, program));
        trace.free(allocate(trace, 2 * MIB));
        allocate(trace, 4096);
        trace.free(allocate(trace, 3 * MIB));
      }
    }
  }

  @Test
  void layersOfOneCallAreNoIterations() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    modelCalls(trace, stacks, 1, 24);
    IterationFinder finder = new IterationFinder(trace.build(stacks.build()), 0);
    IterationException refused = assertThrows(IterationException.class, finder::any);
    assertTrue(
        refused.getMessage().contains("only layers of one forward pass repeat"),
        refused.getMessage());
  }

  @Test
  void callsOfAModelAreIterations() throws IterationException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    modelCalls(trace, stacks, 12, 4);
    assertTrue(new IterationFinder(trace.build(stacks.build()), 0).any().count() >= 10);
  }

  /** Requests of modules that all come from one line of the module that calls them. */
  private static AllocationTrace modulesOfOneLine(String caller) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    int program = stacks.frame("train.py", 10, "main");
    int module = stacks.frame("/site-packages/torch/nn/modules/module.py", 1794, "_call_impl");
    int line = stacks.frame(caller, 52, "forward");
    int[] inside = {
      stacks.stack(stacks.frame("block.py", 7, "forward"), module, line, module, program),
      stacks.stack(stacks.frame("block.py", 8, "forward"), module, line, module, program)
    };
    for (int i = 0; i < 24; i++) {
      trace.at(0, 0, inside[0]);
      trace.free(allocate(trace, 2 * MIB));
      trace.at(0, 0, inside[1]);
      allocate(trace, 4096);
      trace.free(allocate(trace, 3 * MIB));
    }
    return trace.build(stacks.build());
  }

  @Test
  void aModelOfLayersOnlyHasNoIterations() {
    IterationFinder finder = new IterationFinder(modulesOfOneLine("model.py"), 0);
    assertThrows(IterationException.class, finder::any);
  }

  @Test
  void callsThatALibraryPassesOnAreIterations() throws IterationException {
    String wrapper = "/site-packages/torch/nn/parallel/distributed.py";
    assertTrue(new IterationFinder(modulesOfOneLine(wrapper), 0).any().count() >= 20);
  }

  @Test
  void theBackwardPassOnAThreadWithoutPythonHasNoIterations() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    trace.at(0, 0, stacks.stack(stacks.frame("train.py", 12, "main")));
    int held = allocate(trace, MIB);
    trace.at(0, 0, StackTable.NONE);
    for (int i = 0; i < 24; i++) {
      trace.free(allocate(trace, 2 * MIB));
      allocate(trace, 4096);
    }
    trace.free(held);
    IterationFinder finder = new IterationFinder(trace.build(stacks.build()), 0);
    assertThrows(IterationException.class, finder::any);
  }

  @Test
  void stepsOfOneCallOfTheBackwardPassAreNoIterations() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    trace.at(
        0,
        0,
        stacks.stack(
            stacks.frame("/torch/autograd/graph.py", 865, "_engine_run_backward"),
            stacks.frame("train.py", 12, "main")));
    for (int i = 0; i < 20; i++) {
      trace.free(allocate(trace, 2 * MIB));
      allocate(trace, 4096);
    }
    IterationFinder finder = new IterationFinder(trace.build(stacks.build()), 0);
    assertThrows(IterationException.class, finder::any);
  }

  @Test
  void aProgramWithFewOptimizerStepsHasFewIterations() {
    SyntheticProgram program = new SyntheticProgram(1);
    program.trace.markerBegin("Optimizer.step#AdamW.step");
    for (int i = 0; i < 30; i++) {
      program.trace.free(allocate(program.trace, 2 * MIB));
      program.trace.free(allocate(program.trace, 3 * MIB));
    }
    IterationFinder finder = finder(program.trace);
    IterationException refused = assertThrows(IterationException.class, finder::any);
    assertTrue(refused.getMessage().contains("no iterations to compare"), refused.getMessage());
  }

  @Test
  void whatTheCompilerMarksIsNoIteration() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int i = 0; i < 8; i++) {
      trace.markerBegin("_compile.compile_inner (dynamo_timed)");
      allocate(trace, (i + 1) * MIB);
    }
    IterationException refused = assertThrows(IterationException.class, finder(trace)::any);
    assertTrue(refused.getMessage().contains("it has no markers"), refused.getMessage());
  }

  @Test
  void beginsWithNothingBetweenThemAreOne() throws IterationException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int i = 0; i < 50; i++) {
      trace.markerBegin("step");
    }
    for (int i = 0; i < 6; i++) {
      trace.free(allocate(trace, MIB));
      trace.markerBegin("step");
    }
    assertEquals(6, finder(trace).byMarkers().count());
  }

  @Test
  void tooFewIterationsAreRefused() {
    SyntheticProgram program = program(4);
    IterationException few =
        assertThrows(IterationException.class, () -> finder(program).byMarker("step"));
    assertFalse(few.isNameUnknown() && few.getMessage().isEmpty());
    IterationFinder finder = finder(program(4));
    assertTrue(message(finder::byMarkers).startsWith("no marker delimits 5 whole iterations"));
    assertTrue(message(finder::any).contains("(step#N ×5) and no request delimits 5 regular"));
    assertEquals(
        "marker step#N delimits 4 whole iterations, but a trend needs 5; record more",
        message(() -> finder.byMarker("step#0")));
  }

  @Test
  void anUnknownMarkerNamesTheKnownOnes() {
    IterationException unknown =
        assertThrows(IterationException.class, () -> finder(program(9)).byMarker("epoch"));
    assertTrue(unknown.isNameUnknown());
    assertEquals("it has no marker epoch; it has step#N ×10", unknown.getMessage());
  }

  @Test
  void anEmptyTraceHasNoIterations() {
    IterationFinder finder = finder(new AllocationTrace.Builder());
    assertTrue(message(finder::any).startsWith("it has no markers and no request delimits"));
    assertTrue(message(finder::byPeriod).startsWith("no request delimits 5 regular iterations"));
  }

  private interface Finding {
    Iterations find() throws IterationException;
  }

  private static String message(Finding finding) {
    return assertThrows(IterationException.class, finding::find).getMessage();
  }

  private static SyntheticProgram program(int iterations) {
    return new SyntheticProgram(1).iterate(iterations, MIB, 8 * MIB, NOTHING);
  }

  private static int allocate(AllocationTrace.Builder trace, long bytes) {
    return trace.allocate(bytes, 0, org.allocsim.simulator.trace.PoolId.DEFAULT);
  }

  private static IterationFinder finder(SyntheticProgram program) {
    return new IterationFinder(program.build(), 0);
  }

  private static IterationFinder finder(AllocationTrace.Builder trace) {
    return new IterationFinder(trace.build(org.allocsim.simulator.trace.StackTable.empty()), 0);
  }
}
