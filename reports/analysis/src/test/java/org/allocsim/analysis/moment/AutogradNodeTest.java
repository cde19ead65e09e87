package org.allocsim.analysis.moment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.analysis.moment.CodeLine.Kind;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutogradNodeTest {
  private static final String ENGINE = "torch::autograd::Engine::thread_main(std::shared_ptr<int>)";
  private static final String ARGUMENTS = "(std::vector<at::Tensor>&&)";

  private final StackTable.Builder table = new StackTable.Builder();

  private int compiled(String function) {
    return table.frame("Functions.cpp", 0, function);
  }

  private int kernel() {
    return compiled("at::native::empty_strided_cuda(c10::ArrayRef<long>)");
  }

  @ParameterizedTest
  @CsvSource({
    "torch::autograd::generated::AddmmBackward0::apply, backward of aten::addmm",
    "torch::autograd::generated::AddmmBackward0_apply_functional, backward of aten::addmm",
    "torch::autograd::generated::MulBackward0::apply, backward of aten::mul",
    "torch::autograd::generated::AddmmBackward::apply, backward of aten::addmm",
    "torch::autograd::generated::UpsampleNearest2DBackward0::apply,"
        + " backward of aten::upsample_nearest2d",
    "torch::autograd::generated::NativeLayerNormBackward0::apply,"
        + " backward of aten::native_layer_norm",
    "torch::autograd::CppNode<vision::RoiAlign>::apply, backward of vision::RoiAlign",
    "torch::autograd::AccumulateGrad::apply, accumulation of gradients",
    "at::_ops::mm::call, backward pass"
  })
  void aStackOfTheBackwardPassIsNamedAfterItsNode(String function, String name) {
    int stack = table.stack(kernel(), compiled(function + ARGUMENTS), compiled(ENGINE));
    StackTable stacks = table.build();
    assertEquals(new CodeLine(name, "", Kind.BACKWARD), CodeLine.of(stacks, stack));
    assertEquals(name, new StackLabels(stacks, 3).label(stack));
  }

  @Test
  void theProgramsOwnLineGoesBeforeTheNode() {
    int stack =
        table.stack(
            kernel(),
            compiled("torch::autograd::generated::MmBackward0::apply" + ARGUMENTS),
            table.frame("/e/lib/python3.12/site-packages/torch/autograd/graph.py", 9, "backward"),
            table.frame("/home/me/train.py", 7, "step"));
    StackTable stacks = table.build();
    assertEquals(
        new CodeLine("me/train.py:7 step", "autograd/graph.py:9 backward", Kind.PROGRAM),
        CodeLine.of(stacks, stack));
    assertEquals("me/train.py:7 step", new StackLabels(stacks, 3).label(stack));
  }

  @Test
  void aNodeIsNamedBesideTheLineThatHasNoLibraryBelow() {
    int stack =
        table.stack(
            compiled("torch::autograd::generated::MmBackward0::apply" + ARGUMENTS),
            table.frame("/home/me/train.py", 7, "step"));
    assertEquals(
        new CodeLine("me/train.py:7 step", "backward of aten::mm", Kind.PROGRAM),
        CodeLine.of(table.build(), stack));
  }

  @Test
  void theForwardPassHasNoNode() {
    int stack = table.stack(kernel(), compiled("at::_ops::mm::call(at::Tensor const&)"));
    assertEquals(
        "Functions.cpp at::native::empty_strided_cuda", CodeLine.of(table.build(), stack).text());
  }
}
