package org.allocsim.reports.published;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.allocsim.reports.cli.Golden;
import org.allocsim.reports.text.TextTable;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.api.Test;

/**
 * STAlloc's figure 8 (arXiv 2507.16274): ranges of the utilisation of reserved memory in dense
 * training, whose sequences all have one length, under four allocators.
 */
class StAllocTableTest {
  private static final DeviceProfile PLENTY = DeviceProfiles.ofCapacity(1L << 40);
  private static final TransformerShape[] MODELS = {
    TransformerShape.OPT_1_3B, TransformerShape.VICUNA_13B, TransformerShape.NEOX_20B
  };
  private static final int[] BATCHES = {64, 24, 16};
  private static final String[] STRATEGIES = {"N", "R", "LR", "RO", "LRO"};

  private record Allocator(String name, String policy, Map<String, String> options, String paper) {}

  private static final Allocator[] ALLOCATORS = {
    new Allocator("PyTorch", "pytorch", Map.of(), "0.571 to 0.906"),
    new Allocator("GMLake", "gmlake", Map.of(), "0.451 to 0.881"),
    new Allocator(
        "GMLake, fragLimit 64 MB", "gmlake", Map.of("frag-limit", "64MiB"), "0.977 (one)"),
    new Allocator(
        "expandable segments",
        "pytorch",
        Map.of("conf", "expandable_segments:True"),
        "0.624 to 0.932"),
    new Allocator("STAlloc", "stalloc", Map.of(), "above 0.95"),
  };

  private static AllocationTrace trace(int model, String strategy, int shortest) {
    return new FineTuningProgram(
            MODELS[model],
            4,
            strategy.equals("N") ? BATCHES[model] / 8 : BATCHES[model],
            shortest,
            512,
            strategy.contains("L"),
            strategy.contains("R"),
            strategy.contains("O"),
            4,
            1)
        .trace();
  }

  @Test
  void aPlanReservesHardlyMoreThanIsUsed() throws Exception {
    TextTable table =
        TextTable.of("allocator", ">paper", ">ours: lowest", ">highest", ">mean", ">driver calls");
    double[] means = new double[ALLOCATORS.length];
    for (int i = 0; i < ALLOCATORS.length; i++) {
      double lowest = 1;
      double highest = 0;
      double sum = 0;
      long calls = 0;
      int count = 0;
      for (int model = 0; model < MODELS.length; model++) {
        for (String strategy : STRATEGIES) {
          Outcome outcome =
              Outcome.of(
                  trace(model, strategy, 512),
                  PLENTY,
                  ALLOCATORS[i].policy(),
                  ALLOCATORS[i].options());
          lowest = Math.min(lowest, outcome.utilisation());
          highest = Math.max(highest, outcome.utilisation());
          sum += outcome.utilisation();
          calls += outcome.driverCalls();
          count++;
        }
      }
      means[i] = sum / count;
      table.row(
          ALLOCATORS[i].name(),
          ALLOCATORS[i].paper(),
          "%.3f".formatted(lowest),
          "%.3f".formatted(highest),
          "%.3f".formatted(means[i]),
          calls);
      if (ALLOCATORS[i].policy().equals("stalloc")) {
        assertTrue(lowest > 0.95, "the paper's bound for STAlloc");
      }
    }
    double fragmentationLess = 1 - (1 - means[4]) / (1 - means[0]);
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    out.println("STAlloc (arXiv 2507.16274), figure 8: utilisation in dense training");
    out.println("3 models with 5 strategies each on 4 GPUs, sequences of 512 tokens, 4 steps");
    out.println();
    table.print(out, "");
    out.println();
    out.printf(
        "Fragmentation under STAlloc less than under PyTorch: paper 85.1 %% (mean), ours %.1f %%%n",
        100 * fragmentationLess);
    out.println();
    out.println(
        "Why ours differ: the programs are synthetic and of the fine-tuning kind; pipelines with");
    out.println(
        "several micro-batches, which fragment more, are not among them. Our plan is made from");
    out.println("the very trace that it serves, so nothing departs from it.");
    Golden.assertGolden("published-stalloc.txt", text.toString());
    assertTrue(fragmentationLess > 0.85);
  }

  @Test
  void aPlanIsWorseThanNoneWhereSequencesDiffer() throws Exception {
    AllocationTrace trace = trace(0, "LR", 256);
    Outcome planned = Outcome.of(trace, PLENTY, "stalloc", Map.of());
    Outcome cached = Outcome.of(trace, PLENTY, "pytorch", Map.of());
    assertTrue(
        planned.peakReservedBytes() > cached.peakReservedBytes(),
        "arena and fallback are both needed");
  }
}
