package org.allocsim.workloads.program.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.Programs;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelProgramsTest {
  private static final int WIDTH = 64;
  private static final int INNER = 256;
  private static final int LAYERS = 4;

  /** Parameters of an encoder layer: four matrices, and vectors for biases and two norms. */
  private static final long LAYER_PARAMETERS =
      4L * WIDTH * WIDTH + 2L * WIDTH * INNER + 9L * WIDTH + INNER;

  private static final long LIBRARY_BYTES = 1L << 20;

  private static AllocationTrace generate(String id, String... options) {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "iterations", "2",
                "layers", "" + LAYERS,
                "width", "" + WIDTH,
                "heads", "4",
                "inner", "" + INNER,
                "batch", "8",
                "tokens", "32"));
    for (int i = 0; i < options.length; i += 2) {
      values.put(options[i], options[i + 1]);
    }
    return Programs.generate(id, values, 1);
  }

  /** Bytes in use, less workspaces of libraries, when the last step begins, and at most in it. */
  private record Use(long residentBytes, long peakBytes) {
    static Use of(AllocationTrace trace) {
      long[] bytes = new long[trace.allocationCount()];
      long live = 0;
      long resident = 0;
      long peak = 0;
      for (int row = 0; row < trace.eventCount(); row++) {
        switch (trace.kind(row)) {
          case MARKER_BEGIN -> {
            resident = live;
            peak = live;
          }
          case ALLOCATE -> {
            boolean isWorkspace =
                trace.bytes(row) == 32L << 20 || trace.bytes(row) == LIBRARY_BYTES;
            bytes[trace.allocation(row)] = isWorkspace ? 0 : trace.bytes(row);
            live += bytes[trace.allocation(row)];
            peak = Math.max(peak, live);
          }
          case FREE -> live -= bytes[trace.allocation(row)];
          default -> {}
        }
      }
      return new Use(resident, peak);
    }
  }

  /** Bytes of the batch that the last step left. */
  private static final long BATCH_BYTES = 8L * 32 * WIDTH * 4;

  /** Rajbhandari et al. 2020: 12 bytes of parameter and Adam's state for each of a rank's share. */
  @ParameterizedTest
  @CsvSource({"fsdp2, 1", "fsdp2, 2", "fsdp2, 4", "fsdp2, 8", "fsdp1, 2", "fsdp1, 4"})
  void betweenStepsARankHoldsItsShareOfParametersAndState(String id, int ranks) {
    long resident = Use.of(generate(id, "ranks", "" + ranks)).residentBytes();
    assertEquals(12 * LAYERS * LAYER_PARAMETERS / ranks + BATCH_BYTES, resident);
  }

  @Test
  void withoutShardingItHoldsThemWholeAndTheBucketsOfGradients() {
    long parameters = LAYERS * LAYER_PARAMETERS;
    assertEquals((12 + 4) * parameters + BATCH_BYTES, Use.of(generate("ddp")).residentBytes());
  }

  /**
   * Rajbhandari et al. 2020, stage 1: only Adam's two moments are divided, here of 32 bits as
   * parameters and gradients are: (4 + 4 + 8 / N) bytes.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void zeroOneDividesTheOptimizersStateOnly(int ranks) {
    long parameters = LAYERS * LAYER_PARAMETERS;
    for (int rank = 0; rank < ranks; rank++) {
      assertEquals(
          8 * parameters + 8 * parameters / ranks + BATCH_BYTES,
          Use.of(generate("ddp", "zero", "1", "ranks", "" + ranks, "rank", "" + rank))
              .residentBytes());
    }
  }

  @Test
  void everyParameterTravelsOnceAfterAStepOfZeroOne() {
    long plain = broadcastBytes(generate("ddp", "iterations", "3"));
    long sharded = broadcastBytes(generate("ddp", "iterations", "3", "zero", "1"));
    assertEquals(3 * 4 * LAYERS * LAYER_PARAMETERS, sharded - plain);
  }

  private static long broadcastBytes(AllocationTrace trace) {
    return java.util.stream.IntStream.range(0, trace.eventCount())
        .filter(row -> trace.kind(row) == RequestKind.LAUNCH)
        .mapToObj(trace::workOf)
        .mapToLong(work ->
            work instanceof Work.Collective message
                    && message.pattern() == Work.Collective.Pattern.BROADCAST
                ? message.bytes()
                : 0)
        .sum();
  }

  /** ZeRO 2 keeps whole parameters from forward to backward, ZeRO 3 does not. */
  @Test
  void parametersThatStayCostTheirBytesAtThePeak() {
    long gone = Use.of(generate("fsdp2", "ranks", "4")).peakBytes();
    long stay =
        Use.of(generate("fsdp2", "ranks", "4", "reshard-after-forward", "false")).peakBytes();
    assertTrue(stay > gone, stay + " > " + gone);
    assertTrue(stay - gone <= 4 * LAYERS * LAYER_PARAMETERS, stay + " - " + gone);
  }

  @Test
  void halfPrecisionHalvesWhatIsGathered() {
    long largest = 4 * LAYER_PARAMETERS;
    assertTrue(sizes(generate("fsdp2")).contains(largest));
    assertTrue(sizes(generate("fsdp2", "param-dtype", "bfloat16")).contains(largest / 2));
  }

  private static List<Long> sizes(AllocationTrace trace) {
    return java.util.stream.IntStream.range(0, trace.eventCount())
        .filter(row -> trace.kind(row) == RequestKind.ALLOCATE)
        .mapToObj(trace::bytes)
        .toList();
  }

  private static long peakOfPipeline(String schedule, int rank, int microbatches, int ranks) {
    return Use.of(
            generate(
                "pipeline",
                "schedule",
                schedule,
                "ranks",
                "" + ranks,
                "rank",
                "" + rank,
                "batch",
                "" + 2 * microbatches,
                "microbatches",
                "" + microbatches))
        .peakBytes();
  }

  /**
   * With each further microbatch GPipe holds the activations of one more; 1F1B only what buffers
   * and the batch take.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void eachMicrobatchCostsItsActivationsUnderGPipeOnly(int rank) {
    long gpipe = peakOfPipeline("gpipe", rank, 16, 4) - peakOfPipeline("gpipe", rank, 8, 4);
    long alternating = peakOfPipeline("1f1b", rank, 16, 4) - peakOfPipeline("1f1b", rank, 8, 4);
    long messages = 8L * 2 * 32 * WIDTH * 4;
    assertTrue(alternating <= 4 * messages, alternating + " of " + messages);
    assertTrue(gpipe > 2 * alternating, gpipe + " and " + alternating);
  }

  /** Rank r of p has p - r microbatches under way: each rank one less than the one before. */
  @Test
  void eachRankOf1F1BHoldsOneMicrobatchLess() {
    long first = peakOfPipeline("1f1b", 1, 8, 4);
    long second = peakOfPipeline("1f1b", 2, 8, 4);
    long asMany = peakOfPipeline("gpipe", 1, 8, 4) - peakOfPipeline("gpipe", 1, 7, 4);
    long messages = 2L * 32 * WIDTH * 4;
    assertTrue(Math.abs(first - second - asMany) <= 4 * messages, first + " - " + second);
  }

  /** Gradients of weights come late on later ranks, which hold activations for them till then. */
  @Test
  void zeroBubbleHoldsMoreThan1F1BOnAllRanksButTheFirst() {
    assertEquals(
        peakOfPipeline("1f1b", 0, 8, 4), peakOfPipeline("zero-bubble", 0, 8, 4), "first rank");
    for (int rank = 1; rank < 4; rank++) {
      long plain = peakOfPipeline("1f1b", rank, 8, 4);
      long late = peakOfPipeline("zero-bubble", rank, 8, 4);
      assertTrue(late > plain, rank + ": " + late + " > " + plain);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpipe", "1f1b", "interleaved", "zero-bubble"})
  void everyScheduleGivesEverythingBack(String schedule) {
    AllocationTrace trace = generate("pipeline", "schedule", schedule, "rank", "1");
    long live = 0;
    long[] bytes = new long[trace.allocationCount()];
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE) {
        bytes[trace.allocation(row)] = trace.bytes(row);
        live += trace.bytes(row);
      } else if (trace.kind(row) == RequestKind.FREE) {
        live -= bytes[trace.allocation(row)];
      }
    }
    // cuBLAS keeps its workspaces: two threads' and that of cuBLASLt.
    assertEquals(65L << 20, live);
  }

  @Test
  void sequenceParallelismKeepsAShareOfTheTokensBetweenLinears() {
    long whole = Use.of(generate("tensor-parallel", "ranks", "4")).peakBytes();
    long split =
        Use.of(generate("tensor-parallel", "ranks", "4", "sequence-parallel", "true")).peakBytes();
    assertTrue(split < whole, split + " < " + whole);
  }

  /** Fused attention keeps the seed and the offset of its random numbers. */
  private static final long SEED_BYTES = 2 * 8;

  /** What the forward pass of one more layer keeps for the backward pass. */
  private static long keptByALayer(int ranks, boolean splitsTokens) {
    long[] kept = new long[2];
    for (int i = 0; i < kept.length; i++) {
      Use use =
          Use.of(
              generate(
                  "tensor-parallel",
                  "attention",
                  "true",
                  "dtype",
                  "bfloat16",
                  "ranks",
                  "" + ranks,
                  "sequence-parallel",
                  "" + splitsTokens,
                  "layers",
                  "" + (LAYERS - i)));
      kept[i] = use.peakBytes() - use.residentBytes();
    }
    return kept[0] - kept[1];
  }

  /**
   * Korthikanti et al. 2022, table 2: sbh (10 + 24 / t + 5as / (ht)) bytes of a layer under tensor
   * parallelism, less what this model does not have: 2 sbh of dropout masks, and the scores of
   * attention, 5as / (ht), of which fused kernels keep one number of 32 bits a row. Norms keep two
   * such numbers a token.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aLayerKeepsTheActivationsOfThePaper(int ranks) {
    long tokens = 8L * 32;
    long formula = tokens * WIDTH * (10 - 2) + tokens * WIDTH * 24 / ranks;
    long numbers = 4 * tokens * 4 / ranks + 2 * 2 * 4 * tokens;
    assertEquals(formula + numbers + SEED_BYTES, keptByALayer(ranks, false));
  }

  /**
   * The same paper: sbh 34 / t with sequence parallelism, where Megatron gathers tokens anew in the
   * backward pass. PyTorch keeps those gathered for both linears' parts, 4 sbh instead of 4 / t.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void withSplitTokensItKeepsAShareOfAllButWhatIsGathered(int ranks) {
    long tokens = 8L * 32;
    long formula = tokens * WIDTH * (34 - 2 - 4) / ranks + tokens * WIDTH * 4;
    long numbers = 4 * tokens * 4 / ranks + 2 * 2 * 4 * tokens / ranks;
    assertEquals(formula + numbers + SEED_BYTES, keptByALayer(ranks, true));
  }

  @Test
  void gradientsInBucketsAreHeldOnce() {
    long twice = Use.of(generate("ddp", "batch", "1", "tokens", "8")).peakBytes();
    long once =
        Use.of(generate("ddp", "batch", "1", "tokens", "8", "gradient-as-bucket-view", "true"))
            .peakBytes();
    assertTrue(once <= twice - 3L * LAYERS * LAYER_PARAMETERS, once + " <= " + twice);
  }

  /**
   * A bucket is full with the tensor that reaches its limit, as compute_bucket_assignment has it.
   */
  @Test
  void bucketsAreFullWithTheTensorThatReachesTheirLimit() {
    Torch torch = new Torch(new Device());
    List<Tensor> tensors =
        List.of(
            torch.empty(DType.FLOAT32, 10),
            torch.empty(DType.FLOAT32, 20),
            torch.empty(DType.FLOAT32, 50),
            torch.empty(DType.FLOAT32, 60),
            torch.empty(DType.FLOAT32, 1));
    List<List<Tensor>> buckets = GradientBuckets.assign(tensors, 100, 400);
    assertEquals(
        List.of(tensors.subList(0, 2), tensors.subList(2, 4), tensors.subList(4, 5)), buckets);
  }

  /** What FSDP1 gathers belongs to another stream than the one that computes with it. */
  @Test
  void freesOfGatheredParametersWaitForTheStreamThatUsesThem() {
    AllocationTrace trace = generate("fsdp1");
    int gathered = 0;
    boolean[] isUsed = new boolean[trace.allocationCount()];
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.USE_STREAM) {
        isUsed[trace.allocation(row)] = true;
      } else if (trace.kind(row) == RequestKind.FREE && isUsed[trace.allocation(row)]) {
        gathered++;
      }
    }
    // Whole parameters forward and whole gradients once a step, and the gradients that make them.
    assertTrue(gathered >= 2 * LAYERS * 3, gathered + " frees wait");
  }

  @Test
  void unevenRoutingSetsRanksApart() {
    String[] more = {"rank", "0", "uneven-share", "90"};
    String[] less = {"rank", "1", "uneven-share", "90"};
    assertTrue(
        Use.of(generate("experts", more)).peakBytes()
            >= Use.of(generate("experts", less)).peakBytes());
    assertEquals(90, ExpertParallelTraining.tokensOf(new ParallelLayout(3, 0), 100, 90));
    assertEquals(15, ExpertParallelTraining.tokensOf(new ParallelLayout(3, 2), 100, 70));
  }

  @ParameterizedTest
  @CsvSource({
    "pipeline, stages-each, 2",
    "pipeline, microbatches, 3",
    "pipeline, layers, 3",
    "tensor-parallel, ranks, 3",
    "ddp, rank, 2",
    "experts, share, 101"
  })
  void whatMakesNoJobIsRefusedInOneSentence(String id, String option, String value) {
    ProgramOptionException refusal =
        assertThrows(ProgramOptionException.class, () -> generate(id, option, value));
    assertTrue(refusal.getMessage().contains("program " + id), refusal.getMessage());
  }
}
