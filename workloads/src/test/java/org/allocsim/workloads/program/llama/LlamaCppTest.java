package org.allocsim.workloads.program.llama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.Programs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LlamaCppTest {
  private static List<String> buffers(Map<String, String> options) {
    AllocationTrace trace = Programs.generate("llama.cpp", options, 1);
    List<String> sizes = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        sizes.add(Shapes.mib(trace.bytes(event)));
      }
    }
    return sizes;
  }

  @Test
  void weightsCacheAndComputeBufferAreAllocated() {
    assertEquals(
        List.of("4403.49", "1024.00", "560.00"), buffers(Map.of("c", "8192", "fa", "false")));
  }

  @Test
  void modelWithWindowsHasTwoCaches() {
    assertEquals(4, buffers(Map.of("model", "gemma-3-12b", "c", "16384")).size());
  }

  @Test
  void smallerMicroBatchNeedsASmallerBuffer() {
    assertEquals("129.25", buffers(Map.of("ub", "256")).getLast());
    assertEquals(buffers(Map.of("ub", "256")), buffers(Map.of("b", "256")));
  }

  @Test
  void quantizedCacheNeedsHalfAndATwelfthMore() {
    assertEquals("544.00", buffers(Map.of("c", "8192", "ctk", "q8_0", "ctv", "q8_0")).get(1));
  }

  @Test
  void nothingIsOnTheGpuWithoutLayers() {
    assertEquals(List.of(), buffers(Map.of("ngl", "0")));
  }

  @ParameterizedTest
  @CsvSource({
    "format, Q4_K_X, Q4_K_X",
    "ctk, q6_k, q6_k",
    "model, opt-13b, gated",
    "ngl, -1, -1",
    "np, 5000, 5000"
  })
  void valuesThatMakeNoProgramAreRefused(String option, String value, String part) {
    ProgramOptionException refusal =
        assertThrows(ProgramOptionException.class, () -> buffers(Map.of(option, value)));
    assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
  }

  @Test
  void quantizedValuesNeedFlashAttention() {
    ProgramOptionException refusal =
        assertThrows(
            ProgramOptionException.class, () -> buffers(Map.of("ctv", "q8_0", "fa", "false")));
    assertTrue(refusal.getMessage().contains("fa=true"), refusal.getMessage());
  }
}
