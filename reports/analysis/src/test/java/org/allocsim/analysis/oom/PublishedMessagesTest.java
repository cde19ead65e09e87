package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import java.util.Set;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that users published: their numbers in the wording of their time, and the verdict. */
class PublishedMessagesTest {
  private static final Set<String> NEARLY_FULL =
      Set.of("OpenHelix-Team/cobra#24", "vllm#37428", "easydiffusion/easydiffusion#1830");

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Li-Chongyi/Zero-DCE#52 | 2.0 | 1.71 GiB | 6.00 GiB | 3.49 GiB | 1.04 GiB | 0.01 GiB | 1.46 | FULL | -0.66
          real-stanford/universal_manipulation_interface#55 | 2.1 | 1.95 GiB | 7.78 GiB | 6.50 GiB | 0.90 GiB | 0.03 GiB | 0.35 | FULL | -1.02
          WASasquatch/easydiffusion#14 | 2.0 | 2.00 GiB | 7.79 GiB | 4.95 GiB | 1.60 GiB | 0.20 GiB | 1.04 | FULL | -0.20
          pytorch/pytorch#27600 | cached | 382.00 MiB | 7.92 GiB | 7.16 GiB | 231.00 MiB | 452.50 KiB | 0.53 | FULL | -0.15
          pp00704831/Stripformer#21 | 2.0 | 1.65 GiB | 7.79 GiB | 3.53 GiB | 1.40 GiB | 1.75 GiB | 1.11 | FRAGMENTED | 1.50
          OpenTalker/SadTalker#229 | 2.0 | 5.27 GiB | 15.73 GiB | 6.50 GiB | 1.47 GiB | 6.19 GiB | 1.57 | FRAGMENTED | 2.39
          mlverse/torch#1222 | 2.0 | 2.93 GiB | 23.80 GiB | 12.04 GiB | 2.82 GiB | 7.65 GiB | 1.29 | FRAGMENTED | 7.54
          k2-fsa/icefall#317 | 1.5 | 7.28 GiB | 22.20 GiB | 7.80 GiB | 6.15 GiB | 6.38 GiB | 1.87 | FRAGMENTED | 5.25
          fredzzhang/pocket#9 | cached | 7.31 GiB | 11.92 GiB | 0.30 GiB | 4.36 GiB | 6.80 GiB | 0.46 | FRAGMENTED | 3.85
          NVIDIA/apex#258 | cached | 4.88 GiB | 15.75 GiB | 3.62 GiB | 3.67 GiB | 7.39 GiB | 1.07 | FRAGMENTED | 6.18
          OpenHelix-Team/cobra#24 | 2.2 | 0.15 GiB | 23.69 GiB | 22.14 GiB | 0.11 GiB | 0.89 GiB | 0.55 | FRAGMENTED | 0.85
          vllm#37428 | 2.9 | 384.00 MiB | 19.53 GiB | 18.40 GiB | 329.87 MiB | 402.27 MiB | 0.42 | FRAGMENTED | 0.34
          vllm#9290 | 2.2 | 138.00 MiB | 79.15 GiB | 71.57 GiB | 2.19 MiB | 611.60 MiB | 6.98 | FRAGMENTED | 0.46
          kaito-project/kaito#976 | 2.2 | 0.53 GiB | 15.77 GiB | 13.73 GiB | 0.50 GiB | 0.72 GiB | 0.82 | FRAGMENTED | 0.69
          oobabooga/textgen#5418 | 2.1 | 0.06 GiB | 15.70 GiB | 14.19 GiB | 0.04 GiB | 0.76 GiB | 0.71 | FRAGMENTED | 0.74
          easydiffusion/easydiffusion#1830 | 2.0 | 0.03 GiB | 6.00 GiB | 5.18 GiB | 0 bytes | 0.11 GiB | 0.71 | FRAGMENTED | 0.08
          PicoCreator/RWKV-LM-LoRA#32 | 2.0 | 0.18 GiB | 22.13 GiB | 16.56 GiB | 0.16 GiB | 0.22 GiB | 5.19 | FRAGMENTED | 0.20
          seed article | 2.0 | 2.00 GiB | 16.00 GiB | 12.00 GiB | 1.00 GiB | 2.50 GiB | 0.50 | FRAGMENTED | 1.50
          Comfy-Org/ComfyUI#12557 | pools 6.02 GiB | 5.61 GiB | 31.33 GiB | 26.51 GiB | 4.01 GiB | 0.00 GiB | 0.81 | POOL | -1.60
          zju3dv/Diffuman4D#20 | 2.2 | 0.94 GiB | 23.99 GiB | 6.78 GiB | 15.52 GiB | 0.07 GiB | 1.62 | NOT-ALLOCATOR | 14.65
          Comfy-Org/ComfyUI#9121 | 2.2 | 0.01 GiB | 15.92 GiB | 1.83 GiB | 13.60 GiB | 0.00 GiB | 0.49 | NOT-ALLOCATOR | 13.59
          jhc13/taggui#188 | 2.2 | 0.02 GiB | 4.00 GiB | 0.81 GiB | 2.35 GiB | 0.02 GiB | 0.82 | NOT-ALLOCATOR | 2.35
          ROCm/TheRock#2118 | allowed 1.05 GiB | 2.00 MiB | 255.98 GiB | 1018.00 MiB | 244.65 GiB | 54.00 MiB | 10.28 | CAPPED | 0.05
          hbb1/2d-gaussian-splatting#97 | 2.1 | 35.79 GiB | 23.49 GiB | 0.97 GiB | 21.66 GiB | 0.17 GiB | 0.69 | IMPOSSIBLE | -13.96
          graphdeco-inria/gaussian-splatting#558 | 2.0 | 0.04 GiB | 24.00 GiB | 53.19 GiB | 0 bytes | 0.38 GiB | - | SPILLED | -
          """)
  void publishedNumbersGetTheirVerdict(
      String thread,
      String wording,
      String request,
      String capacity,
      String allocated,
      String free,
      String slack,
      String other,
      String verdict,
      String leftOver) {
    String text = text(wording, request, capacity, allocated, free, slack);
    OomExplanation explanation = explain(text);
    assertEquals(verdict, explanation.verdict().word(), text);
    assertEquals(other, gib(explanation.other().orElse(null)));
    assertEquals(leftOver, gib(explanation.leftOver().orElse(null)));
    assertEquals(NEARLY_FULL.contains(thread), explanation.nearlyFull());
    GpuAccount account = explanation.account().orElseThrow();
    assertEquals(
        account.totalHundredths(),
        account.parts().stream()
            .filter(part -> !part.within())
            .mapToLong(GpuAccount.Part::hundredths)
            .sum());
  }

  @Test
  void largeMemoryOfOthersIsTheMainFindingWherePackingWouldHardlyDo() {
    OomExplanation explanation =
        explain(text("2.0", "0.18 GiB", "22.13 GiB", "16.56 GiB", "0.16 GiB", "0.22 GiB"));
    assertTrue(explanation.largeOther());
    assertEquals(
        "perfect packing would leave 204.80 MiB over; 5.19 GiB is memory outside PyTorch",
        explanation.headline());
  }

  @Test
  void theHintOfTheMessageIsRefutedWhereTheGpuIsFull() {
    OomExplanation explanation =
        explain(text("2.0", "1.71 GiB", "6.00 GiB", "3.49 GiB", "1.04 GiB", "0.01 GiB"));
    assertEquals(
        "no allocator setting can fix this: 675.84 MiB short even with perfect packing",
        explanation.headline());
    assertTrue(explanation.cannotHelp().getFirst().contains("hints at"));
  }

  @Test
  void aLimitThatMayBindWithinTheRoundingIsTheCause() {
    OomExplanation explanation =
        explain(
            text(
                "allowed 1.05 GiB",
                "2.00 MiB",
                "255.98 GiB",
                "1018.00 MiB",
                "244.65 GiB",
                "54.00 MiB"));
    assertEquals(Set.of(OomVerdict.CAPPED, OomVerdict.NOT_ALLOCATOR), explanation.possible());
    assertEquals("HIP", explanation.message().api());
    assertTrue(explanation.message().amounts().containsKey(Amount.LIMIT));
  }

  static OomExplanation explain(String text) {
    return OomExplainer.explain(OomMessageParser.parse(text), OomSettings.UNKNOWN, false);
  }

  private static String gib(ByteRange range) {
    return range == null ? "-" : String.format(Locale.ROOT, "%.2f", range.value() / 0x1p30);
  }

  private static String text(
      String wording,
      String request,
      String capacity,
      String allocated,
      String free,
      String slack) {
    return switch (wording.split(" ")[0]) {
      case "cached" -> OomTexts.cached(request, capacity, allocated, free, slack);
      case "1.5" -> OomTexts.reserved(request, capacity, allocated, free, slack, "");
      case "2.0" ->
          OomTexts.reserved(request, capacity, allocated, free, slack, OomTexts.SPLIT_HINT);
      case "2.1" ->
          OomTexts.sentences(
              "capacty", request, capacity, allocated, free, slack, "", "", OomTexts.SPLIT_HINT);
      case "pools" ->
          OomTexts.sentences(
              "capacity",
              request,
              capacity,
              allocated,
              free,
              slack,
              "",
              wording.substring("pools ".length()),
              OomTexts.expandableHint("PYTORCH_ALLOC_CONF", "pytorch.org"));
      case "allowed" ->
          OomTexts.sentences(
                  "capacity",
                  request,
                  capacity,
                  allocated,
                  free,
                  slack,
                  wording.substring("allowed ".length()) + " allowed; ",
                  "",
                  OomTexts.expandableHint("PYTORCH_HIP_ALLOC_CONF", "pytorch.org"))
              .replace("CUDA out", "HIP out");
      default ->
          OomTexts.sentences(
              "capacity",
              request,
              capacity,
              allocated,
              free,
              slack,
              "",
              "",
              OomTexts.expandableHint(
                  wording.equals("2.9") ? "PYTORCH_ALLOC_CONF" : "PYTORCH_CUDA_ALLOC_CONF",
                  "pytorch.org"));
    };
  }
}
