package org.allocsim.analysis.moment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StackLabelsTest {
  @ParameterizedTest
  @CsvSource({
    "/home/me/train.py, me/train.py:7 f",
    "train.py, train.py:7 f",
    "C:\\work\\train.py, work/train.py:7 f",
    "/e/site-packages/transformers/cache_utils.py, transformers/cache_utils.py:7 f",
    "/e/lib/python3.12/site-packages/torchvision/ops.py, torchvision/ops.py:7 f",
    "<stdin>, <stdin>:7 f",
    "/home/torch/train.py, torch/train.py:7 f"
  })
  void framesOfTheProgramAreNamedByFolderAndFile(String file, String label) {
    assertEquals(label, label(file));
  }

  @ParameterizedTest
  @CsvSource({
    "/e/lib/python3.12/site-packages/torch/nn/modules/module.py",
    "/usr/lib/python3/dist-packages/torch/utils/data.py",
    "/usr/lib/python3.12/contextlib.py",
    "<frozen importlib._bootstrap>",
    "??",
    "memory_snapshot.cpp"
  })
  void framesOfPyTorchAndOfPythonAreLeftOut(String file) {
    assertEquals("a/outer.py:1 g", label(file));
  }

  private static String label(String file) {
    StackTable.Builder table = new StackTable.Builder();
    int inner = table.frame(file, 7, "f");
    int outer = table.frame("/a/outer.py", 1, "g");
    int stack = table.stack(inner, outer);
    return new StackLabels(table.build(), 3).label(stack).replace(" < a/outer.py:1 g", "");
  }

  @Test
  void aStackOfCompiledFramesKeepsTheInnermostThatSaySomething() {
    StackTable.Builder table = new StackTable.Builder();
    int stack =
        table.stack(
            table.frame("??", 0, "torch::unwind::unwind()"),
            table.frame("", 0, "c10::cuda::CUDACachingAllocator::malloc(unsigned long)"),
            table.frame("Blas.cpp", 3, "at::cuda::(anonymous namespace)::gemm<float>(long)"));
    assertEquals("Blas.cpp:3 at::cuda::gemm", new StackLabels(table.build(), 3).label(stack));
  }

  @Test
  void namesReachNoTerminalUnchecked() {
    StackTable.Builder table = new StackTable.Builder();
    int stack = table.stack(table.frame("/a/b.py", 1, "f\u001b[2J" + "x".repeat(200)));
    String label = new StackLabels(table.build(), 3).label(stack);
    assertEquals("a/b.py:1 f [2J" + "x".repeat(66) + "…", label);
  }

  @Test
  void whatWasNotRecordedHasNoLabel() {
    assertEquals("", new StackLabels(StackTable.empty(), 3).label(StackTable.NONE));
  }

  @Test
  void theInnermostOfSeveralFramesIsTakenAndOtherTextStays() {
    assertEquals("a.py:3 f", StackLabels.innermost("a.py:3 f < b/c.py:14 <module> < d.py:1 g"));
    assertEquals("a.py:3 <lambda>", StackLabels.innermost("a.py:3 <lambda> < d.py:1 g"));
    assertEquals("a.py:3 f", StackLabels.innermost("a.py:3 f"));
    assertEquals("2 GiB < 3 GiB", StackLabels.innermost("2 GiB < 3 GiB"));
  }
}
