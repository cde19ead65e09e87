package org.allocsim.reports.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.allocsim.reports.cli.Golden;
import org.allocsim.reports.text.TextTable;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.junit.jupiter.api.Test;

/**
 * PagedAttention's figure 2 (SOSP 2023): what the memory for keys and values holds under four ways
 * to set it aside, in percent, for OPT-13B on a GPU with 12 GiB left for them.
 */
class PagedAttentionTableTest {
  private static final long TOKEN_BYTES = 819_200;
  private static final int SLOTS = (int) ((12L << 30) / TOKEN_BYTES);

  /** Tokens, reserved for the future, never used, the rest, sequences together. */
  private static final double[][] PAPER = {
    {20.4, 13.3, 57.3, 8.9, 7.00},
    {26.8, 17.9, 13.6, 41.6, Double.NaN},
    {38.2, 25.2, 0, 36.6, 13.62},
    {96.3, 0, 0, 3.7, 30.42},
  };

  private static final KvReservation[] SYSTEMS = {
    KvReservation.MAXIMUM, KvReservation.POWER_OF_TWO, KvReservation.ORACLE, KvReservation.PAGED
  };

  private static KvUse use(KvReservation system) throws Exception {
    TokenLengths lengths = TokenLengths.SHARE_GPT;
    if (system != KvReservation.PAGED) {
      return new ServingProgram(system, lengths, SLOTS, TOKEN_BYTES, 1).run(2_000, 60_000);
    }
    String blocks = Integer.toString(SLOTS / 16 + 1);
    return new ServingProgram(
            lengths,
            Policies.named("paged-kv")
                .orElseThrow()
                .create(
                    new PolicySettings(-1, Map.of("num-blocks", blocks)),
                    FutureRequests.NONE,
                    new SimulatedDevice(DeviceProfiles.ofCapacity(13L << 30)),
                    EffectListeners.NONE),
            SLOTS,
            TOKEN_BYTES,
            1)
        .run(1_000, 5_000);
  }

  @Test
  void theSharesAreThoseOfThePaper() throws Exception {
    TextTable table = TextTable.of("system", "use of memory", ">paper", ">ours", ">difference");
    String[] names = {"tokens", "future tokens", "never used", "external and other", "sequences"};
    for (int i = 0; i < SYSTEMS.length; i++) {
      KvUse use = use(SYSTEMS[i]);
      double[] ours = {
        100 * use.tokens(),
        100 * use.future(),
        100 * use.internal(),
        100 * use.external(),
        use.meanRunning()
      };
      for (int j = 0; j < ours.length; j++) {
        double paper = PAPER[i][j];
        int digits = j == 4 ? 2 : 1;
        String format = "%." + digits + "f";
        table.row(
            j == 0 ? SYSTEMS[i].label() : "",
            names[j],
            Double.isNaN(paper) ? "-" : format.formatted(paper),
            format.formatted(ours[j]),
            Double.isNaN(paper) ? "-" : ("%+." + digits + "f").formatted(ours[j] - paper));
        if (!Double.isNaN(paper)) {
          assertEquals(paper, ours[j], 3.5, SYSTEMS[i] + " " + names[j]);
        }
      }
    }
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    out.println(
        "PagedAttention (SOSP 2023), figure 2: shares of the memory for keys and values in %");
    out.println(
        "OPT-13B, ShareGPT lengths, 12 GiB = " + SLOTS + " tokens; averages over steps, seed 1");
    out.println();
    table.print(out, "");
    out.println();
    out.println(
        "Why ours differ: the paper gives the mean lengths only, not their distribution; the");
    out.println(
        "spread of ours is chosen by its first row, the other rows follow. Our server never");
    out.println("waits for requests and its steps count alike, so vLLM's memory is fuller.");
    Golden.assertGolden("published-pagedattention.txt", text.toString());
  }

  @Test
  void pagingWastesLessThanABlockPerSequence() throws Exception {
    KvUse paged = use(KvReservation.PAGED);
    assertTrue(paged.tokens() > 0.96);
    double halfBlocks = paged.meanRunning() * 7.5 / SLOTS;
    assertTrue(paged.external() >= halfBlocks * 0.9, "on average half a block less half a token");
  }
}
