package org.allocsim.workloads.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramsTest {
  private static final Map<String, String> FEW_LAYERS =
      Map.of("iterations", "2", "layers", "2", "batch", "8", "tokens", "32");

  private static final Map<String, Map<String, String>> SMALL =
      Map.ofEntries(
          Map.entry("gpt", Map.of("iterations", "2", "layers", "1", "longest", "100")),
          Map.entry("mlp", Map.of("iterations", "2")),
          Map.entry("vit", Map.of("iterations", "1", "layers", "1")),
          Map.entry("resnet", Map.of("iterations", "1")),
          Map.entry("llama-generate", Map.of("prompts", "1", "layers", "1", "new-tokens", "2")),
          Map.entry("engine", Map.of("max-num-seqs", "4", "sleep", "1")),
          Map.entry("ddp", FEW_LAYERS),
          Map.entry("fsdp1", FEW_LAYERS),
          Map.entry("fsdp2", FEW_LAYERS),
          Map.entry("tensor-parallel", FEW_LAYERS),
          Map.entry("pipeline", FEW_LAYERS),
          Map.entry("experts", FEW_LAYERS));

  /** Processes that stay, asleep or in turns with another, and so keep what they hold. */
  private static final Set<String> LASTING =
      Set.of("colocated-engine", "colocated-trainer", "engine");

  static List<String> ids() {
    return Programs.all().stream().map(ProgramProvider::id).toList();
  }

  static List<String> endingIds() {
    return ids().stream().filter(id -> !LASTING.contains(id)).toList();
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
  @MethodSource("endingIds")
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

  @ParameterizedTest
  @MethodSource("ids")
  void everyIterationIsAnOutermostMarker(String id) {
    AllocationTrace trace = generate(id, 3);
    int depth = 0;
    int steps = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.MARKER_BEGIN) {
        assertEquals(0, depth++);
        assertTrue(trace.markerNameOf(row).endsWith(" " + steps++));
      } else if (trace.kind(row) == RequestKind.MARKER_END) {
        depth--;
      }
    }
    assertEquals(0, depth);
    assertTrue(steps > 0);
  }

  private static AllocationTrace gpt(String... options) {
    Map<String, String> values = new HashMap<>(SMALL.get("gpt"));
    for (int i = 0; i < options.length; i += 2) {
      values.put(options[i], options[i + 1]);
    }
    return Programs.generate("gpt", values, 1);
  }

  private static long count(AllocationTrace trace, RequestKind kind) {
    return IntStream.range(0, trace.eventCount()).filter(row -> trace.kind(row) == kind).count();
  }

  /** Bytes of allocations and frees, in order. */
  private static List<Long> requests(AllocationTrace trace) {
    return IntStream.range(0, trace.eventCount())
        .filter(
            row -> trace.kind(row) == RequestKind.ALLOCATE || trace.kind(row) == RequestKind.FREE)
        .mapToObj(row -> trace.bytes(row) - (trace.kind(row) == RequestKind.FREE ? 1 : 0))
        .toList();
  }

  private static long peakBytes(AllocationTrace trace) {
    long[] bytes = new long[trace.allocationCount()];
    long live = 0;
    long peak = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE) {
        bytes[trace.allocation(row)] = trace.bytes(row);
        live += trace.bytes(row);
      } else if (trace.kind(row) == RequestKind.FREE) {
        live -= bytes[trace.allocation(row)];
      }
      peak = Math.max(peak, live);
    }
    return peak;
  }

  @Test
  void aLoaderAndPinnedBatchesChangeNothingOnTheDevice() {
    AllocationTrace plain = gpt();
    AllocationTrace loaded = gpt("batch-host-ms", "5", "loader-workers", "2", "pin", "true");
    assertEquals(requests(plain), requests(loaded));
    assertEquals(0, count(plain, RequestKind.LOAD_BATCH));
    assertEquals(2, count(loaded, RequestKind.LOAD_BATCH));
    assertEquals(2, count(loaded, RequestKind.HOST_ALLOCATE));
    assertEquals(2, count(loaded, RequestKind.HOST_FREE));
    assertEquals(2, loaded.loader(0).workers());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpt", "mlp", "vit", "resnet"})
  void trainingsTakePinnedBatchesAndAreEvaluated(String id) {
    Map<String, String> values = new HashMap<>(SMALL.get(id));
    values.putAll(Map.of("pin", "true", "evaluate-every", "1", "evaluate-batches", "2"));
    AllocationTrace trace = Programs.generate(id, values, 1);
    int iterations = Integer.parseInt(values.get("iterations"));
    int tensors = id.equals("resnet") ? 2 : 1;
    assertEquals(iterations * (tensors + 2L), count(trace, RequestKind.HOST_ALLOCATE));
    assertEquals(count(trace, RequestKind.HOST_ALLOCATE), count(trace, RequestKind.HOST_FREE));
    assertEquals(2L * iterations, count(trace, RequestKind.MARKER_BEGIN));
  }

  @Test
  void anEvaluationNeedsLessThanTrainingAndMoreWithALargerBatch() {
    long trained = peakBytes(gpt());
    assertEquals(trained, peakBytes(gpt("evaluate-every", "1")));
    assertTrue(peakBytes(gpt("evaluate-every", "1", "evaluate-batch", "200")) > trained);
  }

  @Test
  void workersWithoutWorkAreRefused() {
    assertThrows(ProgramOptionException.class, () -> gpt("loader-workers", "2"));
  }

  @Test
  void keptGraphsGrowAndWalkedOnesLeaveANumber() {
    long plain = peakBytes(gpt("iterations", "6"));
    assertTrue(peakBytes(gpt("iterations", "6", "keep", "loss")) <= plain + 6 * 4);
    long graphs = peakBytes(gpt("iterations", "6", "keep", "graph"));
    assertTrue(graphs > plain + (plain - peakBytes(gpt("iterations", "1"))), graphs + "");
    assertTrue(graphs > peakBytes(gpt("iterations", "3", "keep", "graph")));
  }

  @Test
  void anExceptionThatIsHeldKeepsTheFirstTryBesideTheSecond() {
    String[] fails = {"fails-at", "2", "shortest", "100"};
    long released = peakBytes(gpt(fails));
    long held = peakBytes(gpt("fails-at", "2", "shortest", "100", "exception", "held"));
    assertTrue(held > released, held + " > " + released);
  }

  @Test
  void stacksKeepTheirParts() {
    Map<String, String> few = Map.of("iterations", "10", "join", "stack", "kept", "1");
    AllocationTrace stacked = Programs.generate("cat-growth", few, 1);
    AllocationTrace joined =
        Programs.generate("cat-growth", Map.of("iterations", "10", "kept", "1"), 1);
    assertTrue(peakBytes(stacked) > peakBytes(joined));
  }

  @Test
  void aGraphsReplayCostsTheHostNoTimeForItsKernels() {
    AllocationTrace once = Programs.generate("cuda-graph", Map.of("replays", "1"), 1);
    AllocationTrace often = Programs.generate("cuda-graph", Map.of("replays", "11"), 1);
    assertEquals(count(once, RequestKind.HOST_WORK), count(often, RequestKind.HOST_WORK));
    assertEquals(count(once, RequestKind.LAUNCH) + 90, count(often, RequestKind.LAUNCH));
    AllocationTrace shared = Programs.generate("cuda-graph", Map.of("shared-pool", "true"), 1);
    assertEquals(4, once.poolCount());
    assertEquals(2, shared.poolCount());
  }

  private static List<Long> lengths(long seed) {
    AllocationTrace trace = generate("gpt", seed);
    return IntStream.range(0, Math.min(100, trace.eventCount())).mapToObj(trace::bytes).toList();
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
  void optionsMayBeWrittenWithUnderscores() {
    assertEquals(
        requests(Programs.generate("mlp", Map.of("batch-host-ms", "2"), 1)),
        requests(Programs.generate("mlp", Map.of("batch_host_ms", "2"), 1)));
    assertThrows(
        ProgramOptionException.class,
        () -> Programs.generate("mlp", Map.of("batch_host_m", "2"), 1));
  }

  @Test
  void anUnknownProgramIsRefusedWithTheKnownOnes() {
    ProgramOptionException refusal =
        assertThrows(ProgramOptionException.class, () -> Programs.generate("nothing", Map.of(), 1));
    assertTrue(refusal.getMessage().contains("llama-generate"), refusal.getMessage());
  }
}
