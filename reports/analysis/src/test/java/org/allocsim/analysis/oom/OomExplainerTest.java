package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.junit.jupiter.api.Test;

class OomExplainerTest {
  private static final String HINT =
      OomTexts.expandableHint("PYTORCH_CUDA_ALLOC_CONF", "pytorch.org");

  private static OomExplanation explain(String text) {
    return OomExplainer.explain(OomMessageParser.parse(text), OomSettings.UNKNOWN, false);
  }

  private static String modern(
      String request, String capacity, String allocated, String free, String slack) {
    return modern(request, capacity, allocated, free, slack, "", "");
  }

  private static String modern(
      String request,
      String capacity,
      String allocated,
      String free,
      String slack,
      String between,
      String pools) {
    return OomTexts.sentences(
        "capacity", request, capacity, allocated, free, slack, between, pools, HINT);
  }

  private static boolean mention(List<String> sentences, String words) {
    return sentences.stream().anyMatch(sentence -> sentence.contains(words));
  }

  @Test
  void aVerdictThatHangsOnTheRoundingSaysSo() {
    OomExplanation tight =
        explain(modern("1.10 GiB", "8.00 GiB", "6.00 GiB", "0.50 GiB", "0.60 GiB"));
    assertEquals(OomVerdict.FRAGMENTED, tight.verdict());
    assertEquals(Set.of(OomVerdict.FULL, OomVerdict.FRAGMENTED), tight.possible());
    assertTrue(mention(tight.findings(), "FULL is also possible"));
    assertFalse(tight.isCertain());

    OomExplanation clear =
        explain(modern("1.10 GiB", "8.00 GiB", "6.00 GiB", "0.50 GiB", "0.62 GiB"));
    assertEquals(Set.of(OomVerdict.FRAGMENTED), clear.possible());
    assertTrue(clear.isCertain());

    OomExplanation free =
        explain(modern("1.10 GiB", "8.00 GiB", "6.00 GiB", "1.10 GiB", "0.00 GiB"));
    assertEquals(OomVerdict.FULL, free.verdict());
    assertEquals(Set.of(OomVerdict.NOT_ALLOCATOR, OomVerdict.FULL), free.possible());
  }

  @Test
  void theLimitIsTheCauseOnlyWhereTheGpuCouldServeTheRequest() {
    String limit = "4.00 GiB allowed; ";
    OomExplanation fullInside =
        explain(modern("0.50 GiB", "80.00 GiB", "3.70 GiB", "70.00 GiB", "0.10 GiB", limit, ""));
    assertEquals(OomVerdict.CAPPED, fullInside.verdict());
    assertEquals(-0.20 * 0x1p30, fullInside.leftOver().orElseThrow().value(), 1);
    assertTrue(mention(fullInside.findings(), "does not fit within the limit: 204.80 MiB short"));
    assertTrue(mention(fullInside.helps(), "a fraction of 0.054 or more"));
    assertTrue(mention(fullInside.cannotHelp(), "too small even with perfect packing"));

    OomExplanation fragmentedInside =
        explain(modern("0.50 GiB", "80.00 GiB", "3.00 GiB", "70.00 GiB", "0.90 GiB", limit, ""));
    assertEquals(OomVerdict.CAPPED, fragmentedInside.verdict());
    assertEquals(0.50 * 0x1p30, fragmentedInside.leftOver().orElseThrow().value(), 1);
    assertTrue(mention(fragmentedInside.findings(), "Within the limit the cause is fragmentation"));
    assertTrue(mention(fragmentedInside.helps(), "expandable_segments:True"));

    OomExplanation both =
        explain(modern("0.50 GiB", "80.00 GiB", "3.00 GiB", "0.30 GiB", "0.90 GiB", limit, ""));
    assertEquals(OomVerdict.ELSEWHERE, both.verdict());
    assertEquals(0.50 * 0x1p30, both.leftOver().orElseThrow().value(), 1);
    assertTrue(mention(both.findings(), "is exceeded as well"));
    assertTrue(both.equation().startsWith("left below the limit 102.40 MiB + cached 0.90 GiB"));

    OomExplanation loose =
        explain(modern("0.50 GiB", "8.00 GiB", "1.00 GiB", "0.30 GiB", "0.10 GiB", limit, ""));
    assertEquals(OomVerdict.ELSEWHERE, loose.verdict());
    assertTrue(mention(loose.findings(), "is not the cause"));
  }

  @Test
  void poolsDecideWhereTheyWouldDoAndHoldMoreThanTheCache() {
    assertEquals(
        OomVerdict.POOL,
        explain(
                modern(
                    "5.61 GiB", "31.33 GiB", "26.51 GiB", "4.01 GiB", "0.00 GiB", "", "6.02 GiB"))
            .verdict());
    assertEquals(
        OomVerdict.FRAGMENTED,
        explain(
                modern(
                    "5.61 GiB", "31.33 GiB", "20.49 GiB", "4.01 GiB", "6.02 GiB", "", "5.00 GiB"))
            .verdict());
    OomExplanation neither =
        explain(
            modern("5.00 GiB", "31.33 GiB", "26.00 GiB", "2.00 GiB", "1.00 GiB", "", "2.50 GiB"));
    assertEquals(OomVerdict.FULL, neither.verdict());
    assertTrue(mention(neither.findings(), "no allocator can merge"));
    OomExplanation edge =
        explain(
            modern("5.00 GiB", "31.33 GiB", "26.00 GiB", "2.00 GiB", "3.00 GiB", "", "9.00 GiB"));
    assertEquals(OomVerdict.POOL, edge.verdict(), "more is free in pools than is cached");
  }

  @Test
  void requestsOverTheGpuComeFirst() {
    OomExplanation spilledToo =
        explain(modern("10.73 GiB", "8.00 GiB", "17.20 GiB", "0 bytes", "1.95 GiB"));
    assertEquals(OomVerdict.IMPOSSIBLE, spilledToo.verdict());
    OomExplanation integrated =
        explain(modern("16.00 GiB", "15.49 GiB", "1.67 GiB", "84.98 GiB", "8.08 GiB"));
    assertEquals(OomVerdict.IMPOSSIBLE, integrated.verdict());
    assertTrue(mention(integrated.findings(), "contradicts itself"));
    assertEquals(
        OomVerdict.IMPOSSIBLE, explain(OutOfMemoryMessage.MORE_THAN_ONE_EXABYTE).verdict());
  }

  @Test
  void preemptiveRefusalsAreTheLimits() {
    OomExplanation explanation =
        explain(
            "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
                + " per_process_memory_fraction limit. Requested size: 2.00 GiB");
    assertEquals(OomVerdict.CAPPED, explanation.verdict());
    assertTrue(explanation.account().isEmpty());
    assertEquals("", explanation.equation());
  }

  /** Lines of several processes may lie in each other. */
  @Test
  void preemptiveRefusalsAmidSizesOfOtherMessagesHaveAVerdict() {
    String refusal =
        "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
            + " per_process_memory_fraction limit. Requested size: 2.00 GiB ";
    OomExplanation limited = explain(refusal + "7.00 GiB already allocated; 8.00 GiB allowed;");
    assertEquals(OomVerdict.CAPPED, limited.verdict());
    assertEquals(
        "the request would exceed the allocator's own limit of 8.00 GiB, not the GPU's memory",
        limited.headline());
    OomExplanation unlimited =
        explain(refusal + "of which 9.00 GiB is free 7.00 GiB already allocated; 1.00 GiB cached)");
    assertEquals(OomVerdict.CAPPED, unlimited.verdict());
    assertTrue(unlimited.leftOver().isEmpty());
  }

  @Test
  void theAsyncBackendDoesNotTellItsCache() {
    String none = "17179869184.00 GiB";
    OomExplanation holes =
        explain(OomTexts.async("686.00 MiB", "79.35 GiB", "54.14 GiB", "27.12 MiB", none));
    assertEquals(OomVerdict.FRAGMENTED, holes.verdict());
    assertEquals(Set.of(OomVerdict.FRAGMENTED, OomVerdict.FULL), holes.possible());
    assertTrue(holes.headline().contains("at most 24.54 GiB"));
    assertEquals(
        OomVerdict.FULL,
        explain(OomTexts.async("2.00 GiB", "8.00 GiB", "7.00 GiB", "27.12 MiB", none)).verdict());
    assertEquals(
        OomVerdict.IMPOSSIBLE,
        explain(OomTexts.async("21.81 GiB", "15.93 GiB", "10.48 GiB", "0 bytes", none)).verdict());
    OomExplanation capped =
        explain(OomTexts.async("2.00 GiB", "80.00 GiB", "7.00 GiB", "70.00 GiB", "8.00 GiB"));
    assertEquals(OomVerdict.CAPPED, capped.verdict());
    assertEquals(-1.00 * 0x1p30, capped.leftOver().orElseThrow().value(), 1);
  }

  @Test
  void aCutMessageIsUnknownAndSaysWhatItLacks() {
    String whole = modern("1.00 GiB", "8.00 GiB", "6.00 GiB", "0.50 GiB", "1.20 GiB");
    OomExplanation cut = explain(whole.substring(0, whole.indexOf(" Of the allocated")));
    assertEquals(OomVerdict.UNKNOWN, cut.verdict());
    assertEquals(
        "the message does not contain the allocated memory or the reserved memory, so the cause"
            + " remains unknown",
        cut.headline());
    OomExplanation early = explain("CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has a");
    assertEquals(OomVerdict.UNKNOWN, early.verdict());
  }

  @Test
  void anyLineMayBeMissing() {
    String async = OomTexts.async("2.00 GiB", "80.00 GiB", "7.00 GiB", "1.00 GiB", "8.00 GiB");
    List<String> lines = async.lines().toList();
    for (int missing = 1; missing < lines.size(); missing++) {
      String gone = lines.get(missing);
      OomExplanation explanation = explain(async.replace(gone, ""));
      boolean needed = missing < 5;
      assertEquals(needed, explanation.verdict() == OomVerdict.UNKNOWN, gone);
    }
  }

  @Test
  void adviceFollowsTheVersionOfTheWording() {
    String[] numbers = {"1.65 GiB", "7.79 GiB", "3.53 GiB", "1.40 GiB", "1.75 GiB"};
    OomExplanation cached =
        explain(OomTexts.cached(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]));
    assertTrue(mention(cached.helps(), "PyTorch 2.1 or later"));
    assertTrue(mention(cached.helps(), "PyTorch 1.10 or later"));
    OomExplanation v29 =
        explain(
            OomTexts.sentences(
                "capacity",
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                numbers[4],
                "",
                "",
                OomTexts.expandableHint("PYTORCH_ALLOC_CONF", "pytorch.org")));
    assertTrue(mention(v29.helps(), "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
    assertTrue(mention(v29.helps(), "2.9 ignores it"));
    OomExplanation hip =
        explain(
            OomTexts.sentences(
                    "capacity",
                    numbers[0],
                    numbers[1],
                    numbers[2],
                    numbers[3],
                    numbers[4],
                    "",
                    "",
                    OomTexts.expandableHint("PYTORCH_HIP_ALLOC_CONF", "pytorch.org"))
                .replace("CUDA out", "HIP out"));
    assertTrue(mention(hip.helps(), "PYTORCH_HIP_ALLOC_CONF=expandable_segments:True"));
  }

  @Test
  void whatIsOnAlreadyOrUnsupportedIsNotAdvised() {
    OomMessage message =
        OomMessageParser.parse(modern("1.65 GiB", "7.79 GiB", "3.53 GiB", "1.40 GiB", "1.75 GiB"));
    OomExplanation on =
        OomExplainer.explain(
            message,
            new OomSettings("expandable_segments:True,max_split_size_mb:128", "by --conf"),
            false);
    assertFalse(mention(on.helps(), "expandable_segments:True, set"));
    assertTrue(mention(on.cannotHelp(), "it is on already (by --conf)"));
    assertTrue(mention(on.helps(), "Remove max_split_size_mb"));
    OomExplanation windows = OomExplainer.explain(message, OomSettings.UNKNOWN, true);
    assertTrue(mention(windows.cannotHelp(), "not supported on Windows"));
    assertTrue(mention(windows.helps(), "max_split_size_mb:N"));
    OomExplanation small =
        explain(modern("20.00 MiB", "7.79 GiB", "3.53 GiB", "0 bytes", "1.75 GiB"));
    assertTrue(mention(small.cannotHelp(), "smallest limit allowed"));
  }

  @Test
  void processesSplitWhatIsOther() {
    OomExplanation explanation =
        explain(
            modern(
                "2.00 GiB",
                "24.00 GiB",
                "10.00 GiB",
                "1.00 GiB",
                "2.00 GiB",
                "Process 7 has 3.00 GiB memory in use. Process 8 has 512.00 MiB memory in use."
                    + " Including non-PyTorch memory, this process has 12.50 GiB memory in use. ",
                ""));
    List<GpuAccount.Part> parts = explanation.account().orElseThrow().parts();
    List<String> names = parts.stream().map(GpuAccount.Part::name).toList();
    assertEquals(
        List.of(
            "allocated by PyTorch",
            "cached by PyTorch, not in use",
            "other (context, processes, driver)",
            "this process outside PyTorch",
            "2 other processes",
            "neither",
            "free"),
        names);
    assertEquals(
        List.of(1000L, 200L, 1100L, 50L, 350L, 700L, 100L),
        parts.stream().map(GpuAccount.Part::hundredths).toList());
    assertTrue(mention(explanation.findings(), "The largest process listed is 7 with 3.00 GiB"));
  }
}
