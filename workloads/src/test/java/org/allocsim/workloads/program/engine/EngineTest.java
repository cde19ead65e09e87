package org.allocsim.workloads.program.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.model.AdapterTarget;
import org.allocsim.workloads.model.Adapters;
import org.allocsim.workloads.model.Draft;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.ServedModels;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.Programs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine's start, sleeping and waking, against published logs and arithmetic. */
class EngineTest {
  private static final long MIB = 1 << 20;
  private static final double GIB = 1L << 30;

  private static AllocationTrace engine(String... settings) {
    Map<String, String> given = new HashMap<>();
    given.put("max-model-len", "8192");
    given.put("steps", "0");
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      given.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return Programs.generate("engine", given, 1);
  }

  private static RunResult after(AllocationTrace trace, String phase) {
    RunSetup setup =
        new RunSetup(
            trace, 0, PolicyChoice.parse("pytorch"), -1, DeviceProfiles.ofCapacity(1L << 40));
    return Run.of(setup.endingAfter(end(trace, phase)));
  }

  private static int end(AllocationTrace trace, String phase) {
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.MARKER_END
          && trace.markerNameOf(row).startsWith(phase + " ")) {
        return row;
      }
    }
    throw new AssertionError(phase);
  }

  private static long allocated(AllocationTrace trace, String phase) {
    return after(trace, phase).stat("requested_bytes.all.current");
  }

  private static long reserved(AllocationTrace trace, String phase) {
    return after(trace, phase).stat("reserved_bytes.all.current");
  }

  /** Weights as vLLM's log says them. */
  private static long weights(AllocationTrace trace) {
    return allocated(trace, "load weights") - allocated(trace, "init");
  }

  /** Growth of the peak in the profiling run, as vLLM's log says it. */
  private static long profilePeak(AllocationTrace trace) {
    return after(trace, "profile").peakRequestedBytes() - allocated(trace, "load weights");
  }

  /**
   * vllm-project/vllm#10511 (December 2024, H100): Llama 3 8B takes 14.96 GiB on one GPU, 7.48 GiB
   * on each of two; the peak above them is 1.26 GiB on both, as the sampler decides it.
   */
  @ParameterizedTest
  @CsvSource({"1, 14.96", "2, 7.48"})
  void weightsAndPeakOfLlamaAreThosePublished(int gpus, double weightGib) {
    AllocationTrace trace = engine("tensor-parallel-size=" + gpus, "enforce-eager=true", "sleep=0");
    assertEquals(weightGib, Math.round(weights(trace) / GIB * 100) / 100.0);
    assertEquals(1.26, Math.round(profilePeak(trace) / GIB * 100) / 100.0);
  }

  /** Logits in 16 bits and in 32, sorted, places, and what the sort takes: 38 bytes for each. */
  @Test
  void thePeakIsTheSortOfAllLogits() {
    AllocationTrace trace = engine("enforce-eager=true");
    long logits = 256L * 128_256;
    long states = (8192 + 256) * 4096 * 2L;
    long workspace = 32 * MIB;
    // Places of the rows are gone; greedy tokens and the sort's alignment are there.
    assertEquals(38 * logits + states + workspace + 256 * 8 + 255, profilePeak(trace));
  }

  @Test
  void withFewSequencesThePeakIsTheFeedForwardPart() {
    long eager = profilePeak(engine("enforce-eager=true", "max-num-seqs=1"));
    long hidden = 8192 * 4096 * 2L;
    long inner = 8192 * 14_336 * 2L;
    // Residual, input and output; gate and input, and their product; the workspace, token numbers.
    assertEquals(3 * hidden + 3 * inner + 32 * MIB + 8192 * 4, eager);
    // Compiled, the input is gone before the product is there.
    long compiled = profilePeak(engine("max-num-seqs=1"));
    assertEquals(hidden + 3 * inner + 32 * MIB + 8192 * 4, compiled);
  }

  @Test
  void theCacheIsTheShareLessWeightsPeakAndTheRest() {
    AllocationTrace trace = engine("non-torch=128", "gpu-memory-utilization=0.8");
    long available =
        (long) (DeviceProfiles.defaultProfile().totalBytes() * 0.8)
            - weights(trace)
            - profilePeak(trace)
            - 128 * MIB;
    // A block: 16 tokens of 8 heads of 128 features, keys and values, 2 bytes, 32 layers.
    long blockBytes = 16L * 8 * 128 * 2 * 2 * 32;
    long cache = allocated(trace, "allocate cache") - allocated(trace, "profile");
    assertEquals(available / blockBytes * blockBytes, cache);
  }

  @Test
  void graphsOfSmallerSizesFindRoomInThePoolOfTheLargest() {
    AllocationTrace trace = engine();
    int pool = -1;
    for (int i = 0; i < trace.poolCount(); i++) {
      pool = trace.poolId(i).equals(new PoolId(1, 0)) ? i : pool;
    }
    long live = 0;
    long peak = 0;
    long[] bytes = new long[trace.allocationCount()];
    List<Long> peaks = new ArrayList<>();
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE && trace.pool(row) == pool) {
        bytes[trace.allocation(row)] = trace.bytes(row);
        live += trace.bytes(row);
        peak = Math.max(peak, live);
      } else if (trace.kind(row) == RequestKind.FREE && bytes[trace.allocation(row)] > 0) {
        live -= bytes[trace.allocation(row)];
        if (live == 0) {
          peaks.add(peak);
          peak = 0;
        }
      }
    }
    // 51 sizes, and 35 of them again for steps that only generate.
    assertEquals(86, peaks.size());
    assertEquals(512L * (4096 + 3 * 14_336) * 2 + 512 * 4, peaks.getFirst());
    for (int i = 1; i < 51; i++) {
      assertTrue(peaks.get(i) < peaks.get(i - 1), "largest first");
    }
  }

  @ParameterizedTest
  @CsvSource({"256, 1, 8192, 51, 512", "4, 1, 8192, 4, 8", "1024, 1, 100, 15, 96"})
  void captureSizesAreThoseThatVllmLists(
      int sequences, int tokens, int stepTokens, int count, int largest) {
    List<Integer> sizes = CaptureSizes.of(sequences, tokens, stepTokens);
    assertEquals(count, sizes.size());
    assertEquals(largest, sizes.getFirst());
    assertEquals(1, sizes.getLast());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void asleepItHoldsWhatIsInNoTag(int level) {
    AllocationTrace trace = engine("sleep=" + level);
    long awake = allocated(trace, "warm up");
    long cache = allocated(trace, "allocate cache") - allocated(trace, "profile");
    assertEquals(awake - cache - weights(trace), allocated(trace, "sleep"));
    assertEquals(awake, allocated(trace, "wake"));
    // Buffers, two workspaces of cuBLAS, and the graphs' pool.
    assertTrue(reserved(trace, "sleep") < 200 * MIB, reserved(trace, "sleep") + " bytes stay");
  }

  @Test
  void onlyLevelOneKeepsTheWeightsOnTheHost() {
    assertEquals(weights(engine("sleep=1")), (double) hostBytes(engine("sleep=1")), MIB);
    assertEquals(0, hostBytes(engine("sleep=2")));
  }

  private static long hostBytes(AllocationTrace trace) {
    long bytes = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      bytes += trace.kind(row) == RequestKind.HOST_ALLOCATE ? trace.bytes(row) : 0;
    }
    return bytes;
  }

  @Test
  void wakingInStagesBringsTheWeightsFirst() {
    AllocationTrace trace = engine("sleep=1", "wake=stages");
    assertEquals(weights(trace), allocated(trace, "wake weights") - allocated(trace, "sleep"));
    assertEquals(allocated(trace, "warm up"), allocated(trace, "wake cache"));
  }

  @Test
  void aModelThatIsQuantizedAfterLoadingIsThereWholeFirst() {
    AllocationTrace trace = engine("quantization=fp8", "sleep=1");
    long linears = 32L * (4096 * (4096 + 2048) + 4096 * 4096 + 3 * 4096 * 14_336);
    long whole = weights(engine());
    assertEquals(whole - linears, weights(trace));
    long peak = after(trace, "load weights").stat("allocated_bytes.all.peak");
    assertTrue(peak - allocated(trace, "init") > whole, "the first layer is there twice");
  }

  /** The engine allocates what a server counts, whatever the GPUs and modules. */
  @ParameterizedTest
  @CsvSource({"1, 16, all", "1, 64, all", "2, 16, all", "1, 16, q_proj+lm_head", "4, 8, down_proj"})
  void adaptersAreAllocatedForAllSlots(int gpus, int rank, String modules) {
    String shared = "tensor-parallel-size=" + gpus;
    Set<AdapterTarget> targets =
        modules.equals("all")
            ? AdapterTarget.all()
            : AdapterTarget.named(List.of(modules.split("[+]")));
    long bytes =
        2 * new Adapters(2, rank, targets).parameters(ServedModels.named("llama-3.1-8b"), gpus);
    long more =
        weights(
                engine(
                    shared,
                    "max-loras=2",
                    "max-lora-rank=" + rank,
                    "lora-target-modules=" + modules))
            - weights(engine(shared));
    assertEquals(bytes, more);
  }

  @Test
  void aDraftHasWeightsAndLayersOfTheCache() {
    AllocationTrace plain = engine();
    AllocationTrace guessing = engine("speculative-model=eagle");
    long joining = 2L * 4096 * 4096;
    long layer = (joining + 4096L * (4096 + 2048) + 4096 * 4096 + 3 * 4096 * 14_336 + 3 * 4096) * 2;
    long rotations = 8192 * 128 * 2;
    assertEquals(weights(plain) + layer + rotations, weights(guessing));
    // A server counts the same, but for the rotations.
    ModelShape llama = ServedModels.named("llama-3.1-8b");
    assertEquals(layer, new Draft(llama.ofLayers(1), true, 3).served(1, 2, 2).weightBytes());
    assertEquals(33, cacheTensors(guessing));
    assertEquals(32, cacheTensors(plain));
  }

  private static int cacheTensors(AllocationTrace trace) {
    int count = 0;
    for (int row = end(trace, "profile"); row < end(trace, "allocate cache"); row++) {
      count += trace.kind(row) == RequestKind.ALLOCATE ? 1 : 0;
    }
    return count;
  }

  /**
   * Gemma 3 27B: 10 layers of 62 look back at all tokens, so a tensor serves a layer of 7 groups.
   */
  @Test
  void layersOfSeveralKindsShareTensorsOfTheCache() {
    assertEquals(10, cacheTensors(engine("model=gemma-3-27b", "tensor-parallel-size=2")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model=llama-3.1-70b",
        "model=absent",
        "gpu-memory-utilization=1.1",
        "gpu-memory-utilization=x",
        "tensor-parallel-size=3",
        "device=absent",
        "sleep=3",
        "model=absent.json",
        "speculative-model=absent.json",
        "speculative-model=absent"
      })
  void whatMakesNoEngineIsRefusedInOneSentence(String setting) {
    ProgramOptionException refusal =
        assertThrows(ProgramOptionException.class, () -> engine(setting));
    assertEquals(1, refusal.getMessage().lines().count());
  }
}
