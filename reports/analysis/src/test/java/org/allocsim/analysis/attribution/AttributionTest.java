package org.allocsim.analysis.attribution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

class AttributionTest {
  private static final String TORCH = "/venv/lib/python3.12/site-packages/torch/";
  private final StackTable.Builder table = new StackTable.Builder();
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();

  private final int main = table.frame("/home/me/train.py", 90, "main");
  private final int load =
      table.stack(table.frame(TORCH + "nn/modules/module.py", 900, "_apply"), main);
  private final int forward =
      table.stack(
          table.frame("/home/me/model.py", 7, "forward"),
          table.frame(TORCH + "nn/modules/module.py", 1790, "_call_impl"),
          main);
  private final int step =
      table.stack(table.frame(TORCH + "optim/adam.py", 248, "_multi_tensor_adam"), main);
  private final int start =
      table.stack(table.frame(TORCH + "optim/adam.py", 182, "_init_group"), main);
  private final int zero =
      table.stack(table.frame(TORCH + "optim/optimizer.py", 900, "zero_grad"), main);
  private final int program = table.stack(main);
  private final int workspace =
      table.stack(table.frame("??", 0, "at::cuda::getCUDABlasLtWorkspace()"), main);
  private final int accumulate =
      table.stack(table.frame("??", 0, "torch::autograd::AccumulateGrad::apply(x)"));
  private final int recompute =
      table.stack(
          table.frame("/home/me/model.py", 7, "forward"),
          table.frame(TORCH + "nn/modules/module.py", 1790, "_call_impl"),
          table.frame(TORCH + "utils/checkpoint.py", 300, "unpack_hook"));
  private final int collective =
      table.stack(
          table.frame(TORCH + "distributed/distributed_c10d.py", 3000, "all_gather_into_tensor"),
          main);

  private int take(int stack) {
    return take(stack, 4096);
  }

  private int take(int stack, long bytes) {
    return trace.at(0, 0, stack).allocate(bytes, 0, PoolId.DEFAULT);
  }

  private void give(int stack, int allocation) {
    trace.at(0, 0, stack).free(allocation);
  }

  private Attribution attribution() {
    return Attribution.of(
        trace.build(table.build()), 0, CategoryRules.NONE, RecordedCategories.NONE);
  }

  private static void assertIs(
      Category category, Certainty certainty, Attribution all, int allocation) {
    assertEquals(category, all.category(allocation), "allocation " + allocation);
    assertEquals(certainty, all.certainty(allocation), "allocation " + allocation);
  }

  @Test
  void aTrainingStepShowsEveryCategory() {
    int weight = take(load);
    int batch = take(program);
    int scratch = take(workspace);
    int saved = take(forward);
    int temporary = take(forward);
    give(forward, temporary);
    int flow = take(StackTable.NONE);
    give(StackTable.NONE, saved);
    int gradient = take(StackTable.NONE);
    give(StackTable.NONE, flow);
    int state = take(start);
    int update = take(step);
    give(step, update);
    give(zero, gradient);
    int next = take(program);
    give(program, batch);
    int again = take(forward);
    Attribution all = attribution();
    assertIs(Category.PARAMETER, Certainty.STACK, all, weight);
    assertIs(Category.INPUT, Certainty.INFERRED, all, batch);
    assertIs(Category.WORKSPACE, Certainty.STACK, all, scratch);
    assertIs(Category.SAVED_ACTIVATION, Certainty.INFERRED, all, saved);
    assertIs(Category.TEMPORARY, Certainty.INFERRED, all, temporary);
    assertIs(Category.TEMPORARY, Certainty.INFERRED, all, flow);
    assertIs(Category.GRADIENT, Certainty.INFERRED, all, gradient);
    assertIs(Category.OPTIMIZER_STATE, Certainty.STACK, all, state);
    assertIs(Category.TEMPORARY, Certainty.STACK, all, update);
    assertIs(Category.INPUT, Certainty.INFERRED, all, next);
    // The stack kept one block for the backward pass and gave one back at once: not clear.
    assertIs(Category.UNKNOWN, Certainty.UNKNOWN, all, again);
  }

  @Test
  void freesWithTheStackOfTheirAllocationSayNothingOfWhenTheyHappen() {
    int first = take(forward);
    int second = take(forward);
    int flow = take(StackTable.NONE);
    give(forward, second);
    int gradient = take(StackTable.NONE);
    give(forward, first);
    give(StackTable.NONE, flow);
    int state = take(start);
    take(forward);
    Attribution all = attribution();
    assertIs(Category.SAVED_ACTIVATION, Certainty.INFERRED, all, first);
    assertIs(Category.SAVED_ACTIVATION, Certainty.INFERRED, all, second);
    assertIs(Category.TEMPORARY, Certainty.INFERRED, all, flow);
    assertIs(Category.GRADIENT, Certainty.INFERRED, all, gradient);
    assertIs(Category.OPTIMIZER_STATE, Certainty.STACK, all, state);
  }

  @Test
  void whatLivesOverManyStepsAndIsNotNamedIsUnknown() {
    int kept = take(forward);
    for (int i = 0; i < 3; i++) {
      int saved = take(forward);
      give(StackTable.NONE, saved);
    }
    assertIs(Category.UNKNOWN, Certainty.UNKNOWN, attribution(), kept);
  }

  @Test
  void whatIsLeftOpenIsTakenForWhatItsStackAllocatedBefore() {
    for (int i = 0; i < 3; i++) {
      int saved = take(forward);
      give(StackTable.NONE, saved);
    }
    int last = take(forward);
    assertIs(Category.SAVED_ACTIVATION, Certainty.INFERRED, attribution(), last);
  }

  @Test
  void framesOfTheEngineNameGradientsAndRecomputedActivations() {
    int before = take(forward);
    int saved = take(recompute);
    int temporary = take(recompute);
    give(recompute, temporary);
    int gradient = take(accumulate);
    give(accumulate, saved);
    give(accumulate, before);
    Attribution all = attribution();
    assertIs(Category.SAVED_ACTIVATION, Certainty.INFERRED, all, saved);
    assertIs(Category.TEMPORARY, Certainty.INFERRED, all, temporary);
    assertIs(Category.GRADIENT, Certainty.STACK, all, gradient);
  }

  @Test
  void collectivesAreCommunication() {
    int buffer = take(collective);
    assertIs(Category.COMMUNICATION, Certainty.STACK, attribution(), buffer);
  }

  @Test
  void cublasWorkspacesAreKnownByTheirSizeWhereNoCompiledFrameShowsThem() {
    int workspaceOfHandle = take(forward, 33_554_432);
    int saved = take(forward);
    give(StackTable.NONE, saved);
    assertIs(Category.WORKSPACE, Certainty.INFERRED, attribution(), workspaceOfHandle);
  }

  @Test
  void withoutStacksMarksOfTheOptimizerShowGradientsAndItsState() {
    int weight = take(StackTable.NONE, 512);
    int saved = take(StackTable.NONE);
    int gradient = take(StackTable.NONE, 512);
    give(StackTable.NONE, saved);
    trace.at(0, 0, StackTable.NONE).markerBegin("Optimizer.step#AdamW.step");
    int state = take(StackTable.NONE, 512);
    trace.markerEnd("Optimizer.step#AdamW.step");
    trace.markerBegin("Optimizer.zero_grad#AdamW.zero_grad");
    give(StackTable.NONE, gradient);
    trace.markerEnd("Optimizer.zero_grad#AdamW.zero_grad");
    Attribution all =
        Attribution.of(
            trace.build(StackTable.empty()), 0, CategoryRules.NONE, RecordedCategories.NONE);
    assertIs(Category.UNKNOWN, Certainty.UNKNOWN, all, weight);
    assertIs(Category.SAVED_ACTIVATION, Certainty.INFERRED, all, saved);
    assertIs(Category.GRADIENT, Certainty.INFERRED, all, gradient);
    assertIs(Category.OPTIMIZER_STATE, Certainty.INFERRED, all, state);
  }

  @Test
  void whatWasRecordedComesFirstThenOnesOwnRules() throws Exception {
    int recorded = take(forward);
    int named = take(forward);
    CategoryRules rules =
        CategoryRules.parse(List.of("# ours", "", "communication  file  model\\.py$"));
    Attribution all =
        Attribution.of(
            trace.build(table.build()),
            0,
            rules,
            allocation -> allocation == recorded ? Optional.of(Category.INPUT) : Optional.empty());
    assertIs(Category.INPUT, Certainty.RECORDED, all, recorded);
    assertIs(Category.COMMUNICATION, Certainty.STACK, all, named);
  }

  @Test
  void aWrongRuleNamesItsLine() {
    assertEquals(
        "line 2: unknown category 'weights'; choose from parameter, gradient, optimizer_state,"
            + " saved_activation, temporary, workspace, communication, input",
        assertThrows(
                CategoryRulesException.class,
                () -> CategoryRules.parse(List.of("", "weights file x")))
            .getMessage());
    assertEquals(
        "line 1: '(' is not a regular expression: Unclosed group",
        assertThrows(
                CategoryRulesException.class, () -> CategoryRules.parse(List.of("input file (")))
            .getMessage());
  }
}
