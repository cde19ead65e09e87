package org.allocsim.workloads.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramsTest {
  private static final Map<String, Map<String, String>> SMALL =
      Map.of(
          "gpt", Map.of("iterations", "2", "layers", "1", "longest", "100"),
          "mlp", Map.of("iterations", "2"),
          "vit", Map.of("iterations", "1", "layers", "1"),
          "resnet", Map.of("iterations", "1"),
          "llama-generate", Map.of("prompts", "1", "layers", "1", "new-tokens", "2"));

  static List<String> ids() {
    return Programs.all().stream().map(ProgramProvider::id).toList();
  }

  private static AllocationTrace generate(String id, long seed) {
    return Programs.generate(id, SMALL.getOrDefault(id, Map.of()), seed);
  }

  @ParameterizedTest
  @MethodSource("ids")
  void theSameSeedGivesTheSameTrace(String id) {
    AllocationTrace first = generate(id, 3);
    AllocationTrace second = generate(id, 3);
    assertEquals(first.eventCount(), second.eventCount());
    for (int row = 0; row < first.eventCount(); row++) {
      assertEquals(first.kind(row), second.kind(row));
      assertEquals(first.allocation(row), second.allocation(row));
      assertEquals(first.bytes(row), second.bytes(row));
      assertEquals(first.timeNanos(row), second.timeNanos(row));
    }
  }

  /** What libraries hold stays to the end, as in PyTorch: workspaces of 32 MiB and 1 MiB. */
  @ParameterizedTest
  @MethodSource("ids")
  void onlyWorkspacesOfLibrariesAreLeft(String id) {
    AllocationTrace trace = generate(id, 3);
    boolean[] live = new boolean[trace.allocationCount()];
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE) {
        live[trace.allocation(row)] = true;
      } else if (trace.kind(row) == RequestKind.FREE) {
        live[trace.allocation(row)] = false;
      }
    }
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE && live[trace.allocation(row)]) {
        assertTrue(
            trace.bytes(row) == 32L << 20 || trace.bytes(row) == 1L << 20,
            trace.bytes(row) + " bytes are left in row " + row);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ids")
  void everyOptionTakesItsDefaultAndSaysWhatItDoes(String id) {
    ProgramProvider program = Programs.find(id).orElseThrow();
    assertFalse(program.summary().isBlank());
    for (ProgramOption option : program.options()) {
      assertFalse(option.meaning().isBlank(), option.name());
      assertFalse(option.standard().isBlank(), option.name());
    }
  }

  private static List<Long> lengths(long seed) {
    AllocationTrace trace = generate("gpt", seed);
    return java.util.stream.IntStream.range(0, Math.min(100, trace.eventCount()))
        .mapToObj(trace::bytes)
        .toList();
  }

  @Test
  void anotherSeedGivesOtherLengths() {
    assertNotEquals(lengths(1), lengths(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"batch=0", "batch=x", "batch=99999999999", "amp=int8", "nonsense=1"})
  void wrongOptionsAreRefusedInOneSentence(String option) {
    String[] parts = option.split("=", 2);
    ProgramOptionException refusal =
        assertThrows(
            ProgramOptionException.class,
            () -> Programs.generate("gpt", Map.of(parts[0], parts[1]), 1));
    assertTrue(refusal.getMessage().contains("program gpt"), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(parts[0]), refusal.getMessage());
  }

  @Test
  void anUnknownProgramIsRefusedWithTheKnownOnes() {
    ProgramOptionException refusal =
        assertThrows(ProgramOptionException.class, () -> Programs.generate("nothing", Map.of(), 1));
    assertTrue(refusal.getMessage().contains("llama-generate"), refusal.getMessage());
  }
}
