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
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;

/**
 * GMLake's figures (ASPLOS 2024, read off the plots of its repository): utilisation of reserved
 * memory under PyTorch's allocator and under GMLake, over training strategies, numbers of GPUs and
 * batch sizes. The models' batches and sequence lengths are not published.
 */
class GmLakeTableTest {
  private static final int SHORTEST = 416;
  private static final int LONGEST = 448;
  private static final int STEPS = 8;
  private static final DeviceProfile PLENTY = DeviceProfiles.ofCapacity(1L << 40);
  private static final DeviceProfile GPU = ShippedProfiles.named("a100-80gb");

  private static final String[] STRATEGIES = {"N", "R", "LR", "RO", "LRO"};

  /** By model and strategy: PyTorch, GMLake. */
  private static final double[][][] STRATEGY_PAPER = {
    {{.926, .965}, {.665, .880}, {.643, .891}, {.635, .881}, {.635, .875}},
    {{.955, 1.0}, {.843, .882}, {.763, .923}, {.776, .921}, {.80, .916}},
    {{.956, .956}, {.956, .961}, {.793, .95}, {.730, .946}, {.714, .943}},
  };

  private static final int[] GPUS = {1, 2, 4, 8, 16};

  private static final double[][][] GPU_PAPER = {
    {{.876, .97}, {.778, .90}, {.786, .90}, {.768, .91}, {.69, .84}},
    {{.752, .965}, {.846, .922}, {.825, .891}, {.803, .891}, {.787, .884}},
    {{.89, .947}, {.815, .941}, {.794, .951}, {.757, .943}, {.703, .936}},
  };

  private static final int[] BATCHES = {1, 32, 64, 96, 128, 160, 192, 224, 248, 256, 264, 272, 280};

  /** OPT-1.3B; 0 is out of memory. The paper ends at 248. */
  private static final double[][] BATCH_PAPER = {
    {.679, .785},
    {.657, .839},
    {.652, .866},
    {.647, .869},
    {.645, .866},
    {.642, .883},
    {.654, .878},
    {.771, .888},
    {0, .879},
  };

  private static final double[] NO_PAPER = {Double.NaN, Double.NaN};

  private static AllocationTrace trace(
      TransformerShape model, int gpus, int batch, String strategy) {
    return new FineTuningProgram(
            model,
            gpus,
            batch,
            SHORTEST,
            LONGEST,
            strategy.contains("L"),
            strategy.contains("R"),
            strategy.contains("O"),
            STEPS,
            1)
        .trace();
  }

  /** OPT-1.3B's is that of GMLake's tutorial; the others are chosen to fill a GPU alike. */
  private static int batch(TransformerShape model, String strategy) {
    int batch =
        model.equals(TransformerShape.OPT_1_3B)
            ? 160
            : model.equals(TransformerShape.NEOX_20B) ? 48 : 64;
    return strategy.equals("N") ? batch / 8 : batch;
  }

  private static TextTable table(String first, String second) {
    return TextTable.of(
        first,
        ">" + second,
        ">PyTorch: paper",
        ">ours",
        ">difference",
        ">GMLake: paper",
        ">ours",
        ">difference");
  }

  private static void row(
      TextTable table, String first, Object second, double[] paper, Outcome pytorch, Outcome ours) {
    table.row(
        first,
        second,
        text(paper[0]),
        pytorch.text(),
        difference(pytorch, paper[0]),
        text(paper[1]),
        ours.text(),
        difference(ours, paper[1]));
  }

  private static String text(double utilisation) {
    if (Double.isNaN(utilisation)) {
      return "-";
    }
    return utilisation == 0 ? "OOM" : "%.3f".formatted(utilisation);
  }

  private static String difference(Outcome outcome, double paper) {
    return paper == 0 || Double.isNaN(paper) || outcome.failures() > 0
        ? "-"
        : "%+.3f".formatted(outcome.utilisation() - paper);
  }

  private static Outcome pytorch(AllocationTrace trace, DeviceProfile device) throws Exception {
    return Outcome.of(trace, device, "pytorch", Map.of());
  }

  private static Outcome gmLake(AllocationTrace trace, DeviceProfile device) throws Exception {
    return Outcome.of(trace, device, "gmlake", Map.of());
  }

  private static void golden(String name, String title, TextTable table, String... why)
      throws Exception {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    out.println(title);
    out.println("utilisation = peak allocated / peak reserved; paper: read off plots");
    out.println();
    table.print(out, "");
    out.println();
    for (String line : why) {
      out.println(line);
    }
    Golden.assertGolden(name, text.toString());
  }

  @Test
  void recomputationAdaptersAndOffloadingFragmentPyTorchsMemoryButHardlyGmLakes() throws Exception {
    TransformerShape[] models = {
      TransformerShape.OPT_1_3B, TransformerShape.VICUNA_13B, TransformerShape.NEOX_20B
    };
    TextTable table = table("model", "strategy");
    for (int m = 0; m < models.length; m++) {
      double plain = 0;
      for (int s = 0; s < STRATEGIES.length; s++) {
        AllocationTrace trace = trace(models[m], 4, batch(models[m], STRATEGIES[s]), STRATEGIES[s]);
        Outcome pytorch = pytorch(trace, PLENTY);
        Outcome gmLake = gmLake(trace, PLENTY);
        row(
            table,
            s == 0 ? models[m].name() : "",
            STRATEGIES[s],
            STRATEGY_PAPER[m][s],
            pytorch,
            gmLake);
        plain = s == 0 ? pytorch.utilisation() : plain;
        assertTrue(gmLake.utilisation() >= pytorch.utilisation() - 0.01, models[m].name());
        assertTrue(pytorch.utilisation() <= plain, models[m].name() + " " + STRATEGIES[s]);
      }
    }
    golden(
        "published-gmlake-strategies.txt",
        "GMLake (ASPLOS 2024), training strategies on 4 GPUs: N none, R recompute, L LoRA, O"
            + " offload",
        table,
        "Why ours differ: the program is synthetic; batches are of our choice, and so are the"
            + " lengths of",
        "416 to 448 tokens, whose spread decides how irregular sizes are.");
  }

  @Test
  void moreGpusFragmentMore() throws Exception {
    TransformerShape[] models = {
      TransformerShape.OPT_13B, TransformerShape.VICUNA_13B, TransformerShape.NEOX_20B
    };
    TextTable table = table("model", "GPUs");
    for (int m = 0; m < models.length; m++) {
      for (int g = 0; g < GPUS.length; g++) {
        AllocationTrace trace = trace(models[m], GPUS[g], batch(models[m], "LR"), "LR");
        Outcome pytorch = pytorch(trace, PLENTY);
        Outcome gmLake = gmLake(trace, PLENTY);
        row(table, g == 0 ? models[m].name() : "", GPUS[g], GPU_PAPER[m][g], pytorch, gmLake);
        assertTrue(gmLake.utilisation() > pytorch.utilisation(), models[m].name());
      }
    }
    golden(
        "published-gmlake-gpus.txt",
        "GMLake (ASPLOS 2024), numbers of GPUs with LoRA and recomputation",
        table,
        "Why ours differ: as with the strategies; our program's activations do not depend on the",
        "number of GPUs, only its resident weights shrink.");
  }

  @Test
  void batchesThatFitUnderPyTorchFitUnderGmLake() throws Exception {
    TextTable table = table("model", "batch");
    int maxPyTorch = 0;
    int maxGmLake = 0;
    for (int b = 0; b < BATCHES.length; b++) {
      AllocationTrace trace = trace(TransformerShape.OPT_1_3B, 4, BATCHES[b], "LR");
      Outcome pytorch = pytorch(trace, GPU);
      Outcome gmLake = gmLake(trace, GPU);
      double[] paper = b < BATCH_PAPER.length ? BATCH_PAPER[b] : NO_PAPER;
      row(table, b == 0 ? "opt-1.3b" : "", BATCHES[b], paper, pytorch, gmLake);
      maxPyTorch = pytorch.failures() == 0 ? BATCHES[b] : maxPyTorch;
      maxGmLake = gmLake.failures() == 0 ? BATCHES[b] : maxGmLake;
    }
    golden(
        "published-gmlake-batches.txt",
        "GMLake (ASPLOS 2024), OPT-1.3B on 4 A100-80GB, LoRA and recomputation",
        table,
        "Why ours differ: as with the strategies. All sizes grow with the batch, so utilisation"
            + " hardly",
        "changes until the GPU is full and cached memory is returned to it, which costs time. Our",
        "samples are shorter than the paper's, so larger batches fit.");
    assertTrue(maxGmLake >= maxPyTorch, "stitching must not cost a batch that fitted");
  }
}
