package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeaksCommandTest {
  private static final Path CAT_GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path PREFETCH = CommandRun.recording("prefetch_streams.pickle.xz");

  @TempDir Path folder;

  @Test
  void aLeakIsReportedWithWhatGrowsAndWhenTheGpuIsFull() throws IOException {
    CommandRun run = CommandRun.of("leaks", CAT_GROWTH, "--capacity", "24GiB");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode());
    assertEquals("", run.err());
    Golden.assertGolden("leaks-cat-growth.txt", withoutFolder(run.out(), CAT_GROWTH));
  }

  @Test
  void nothingIsAfterAWarmUpThatIsNone() {
    String none = CommandRun.of("leaks", PREFETCH, "--warm-up", 0).out();
    assertTrue(none.contains("no warm-up"), none);
    assertTrue(!none.contains("after warm-up"), none);
    String some = CommandRun.of("leaks", PREFETCH, "--warm-up", 2).out();
    assertTrue(some.contains("grows after warm-up"), some);
  }

  @Test
  void steadyMemoryIsNoneAndDone() throws IOException {
    CommandRun run = CommandRun.of("leaks", PREFETCH);
    assertEquals(ExitCodes.DONE, run.exitCode());
    Golden.assertGolden("leaks-prefetch-streams.txt", withoutFolder(run.out(), PREFETCH));
  }

  @Test
  void everythingIsInTheJson() throws IOException {
    Path json = folder.resolve("leaks.json");
    CommandRun run = CommandRun.of("leaks", PREFETCH, "--json", json);
    assertEquals(ExitCodes.DONE, run.exitCode());
    Golden.assertGolden(
        "leaks-prefetch-streams.json", withoutFolder(Files.readString(json), PREFETCH));
    CommandRun piped = CommandRun.of("leaks", PREFETCH, "--json", "-");
    assertEquals(Files.readString(json), piped.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"png", "svg", "pdf"})
  void theChartIsDrawn(String format) throws IOException {
    Path chart = folder.resolve("leak." + format);
    CommandRun run = CommandRun.of("leaks", CAT_GROWTH, "--chart", chart);
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode());
    assertTrue(Files.size(chart) > 3_000);
    if (format.equals("svg")) {
      String svg = Files.readString(chart, StandardCharsets.UTF_8);
      assertTrue(svg.contains("LEAK: live memory grows by"), svg.substring(0, 500));
      assertTrue(svg.contains("minimum live"));
    }
  }

  @Test
  void aWarmUpCanBeGiven() {
    CommandRun run = CommandRun.of("leaks", PREFETCH, "--warm-up", "20");
    assertTrue(
        run.out().replaceAll("\\s+", " ").contains("iterations 0 to 19 ignored as warm-up"),
        run.out());
    CommandRun highest = CommandRun.of("leaks", PREFETCH, "--warm-up", "34");
    assertEquals(ExitCodes.DONE, highest.exitCode());
    CommandRun tooLong = CommandRun.of("leaks", PREFETCH, "--warm-up", "35");
    assertEquals(ExitCodes.FAILED, tooLong.exitCode());
    assertTrue(
        tooLong
            .err()
            .contains(
                "a warm-up of 35 iterations leaves 4 of 39, but a trend needs 5; give a smaller"
                    + " --warm-up"),
        tooLong.err());
    assertEquals(ExitCodes.USAGE, CommandRun.of("leaks", PREFETCH, "--warm-up", "-1").exitCode());
  }

  @Test
  void withoutIterationsThereIsASentence() {
    Path graph = CommandRun.recording("cuda_graph.pickle.xz");
    CommandRun run = CommandRun.of("leaks", graph);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertEquals("", run.out());
    assertEquals(
        "allocsim: "
            + graph
            + ": it has no markers and no request delimits 5 regular iterations; record more"
            + " iterations, or mark each with torch.profiler.record_function(\"step\")\n",
        run.err());
    CommandRun markers = CommandRun.of("leaks", PREFETCH, "--iterations", "markers");
    assertEquals(ExitCodes.FAILED, markers.exitCode());
    assertTrue(markers.err().contains("it has no markers; give --iterations period"));
    CommandRun named = CommandRun.of("leaks", PREFETCH, "--iterations", "epoch");
    assertEquals(ExitCodes.USAGE, named.exitCode());
    assertTrue(named.err().contains("it has no markers"), named.err());
  }

  /** A forward pass of twelve layers, whose activations pile up (stand-in runtime, no GPU). */
  @Test
  void theLayersOfOnePassAreNoIterations() {
    Path pass = CommandRun.recording("gpt_forward_with_graph.pickle.xz");
    CommandRun run = CommandRun.of("leaks", pass);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertEquals("", run.out());
    assertTrue(run.err().contains("only layers of one forward pass repeat"), run.err());
    assertTrue(run.err().contains("no iterations to compare"), run.err());
  }

  /**
   * Thirty single steps of GPTs, encoders, convolutions and perceptrons of 6 to 48 layers: whole
   * steps, forward passes, forward and backward passes (stand-in runtime, no GPU).
   */
  @ParameterizedTest
  @MethodSource("singleSteps")
  void aSingleStepHasNoIterations(Path step) {
    CommandRun run = CommandRun.of("leaks", step);
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.out());
    assertEquals("", run.out());
    assertTrue(run.err().contains("record more iterations, or mark each"), run.err());
  }

  private static List<Path> singleSteps() throws IOException {
    try (Stream<Path> files = Files.list(CommandRun.recording("single-steps"))) {
      return files.sorted().toList();
    }
  }

  @Test
  void nothingIsWrittenWhereTheAnalysisFails() {
    CommandRun run =
        CommandRun.of(
            "leaks",
            CommandRun.recording("cuda_graph.pickle.xz"),
            "--json",
            folder.resolve("x.json"),
            "--chart",
            folder.resolve("x.svg"));
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(CommandRun.files(folder).isEmpty());
    assertEquals(
        ExitCodes.USAGE,
        CommandRun.of("leaks", PREFETCH, "--chart", folder.resolve("x.jpg")).exitCode());
  }

  /**
   * What each real run does, seen in its curves.
   *
   * <ul>
   *   <li>{@code leak_losses} appends a loss whose graph is kept: six activations of 4 MiB and one
   *       scalar an iteration, exactly.
   *   <li>{@code cat_growth} concatenates 4 MiB an iteration and keeps part of what it makes.
   *   <li>{@code gpt_varlen} trains on batches of random length: reserved memory has highs in
   *       iterations 1 and 18, where live memory has highs too, with every setting but the next.
   *   <li>{@code gpt_varlen.max_split_32} cannot split cached blocks: 3.4 to 17.8 GiB, to the end.
   *   <li>{@code gpt_oom} runs against its limit all the time, with as much live at the end.
   *   <li>{@code vision_varsize} infers images of random sizes; no markers.
   *   <li>{@code prefetch_streams} does the same 40 times.
   *   <li>{@code truncated_ring} keeps only its last five steps.
   * </ul>
   */
  @ParameterizedTest
  @CsvSource({
    "leak_losses, LEAK, zero_grad",
    "cat_growth, LEAK, period",
    "cat_growth.expandable, LEAK, period",
    "gpt_varlen, PLATEAU, zero_grad",
    "gpt_varlen.expandable, PLATEAU, zero_grad",
    "gpt_varlen.roundup4, PLATEAU, zero_grad",
    "gpt_varlen.rounduplist, PLATEAU, zero_grad",
    "gpt_varlen.gc06, PLATEAU, zero_grad",
    "gpt_varlen.max_split_32, FRAGMENTATION, zero_grad",
    "gpt_ckpt, PLATEAU, zero_grad",
    "gpt_empty, PLATEAU, zero_grad",
    "gpt_oom, PLATEAU, Optimizer.step",
    "gpt_oom.max_split_64, PLATEAU, Optimizer.step",
    "gpt_oom.expandable, PLATEAU, Optimizer.step",
    "vision_varsize, PLATEAU, period",
    "vision_varsize.limit, PLATEAU, period",
    "prefetch_streams, NONE, period",
    "late_start, NONE, Optimizer.step",
    "../pytorch-other/truncated_ring, PLATEAU, zero_grad",
    "../pytorch-other/two_gpu, PLATEAU, period",
  })
  void recordedRunsHaveTheirVerdicts(String name, String verdict, String source) {
    CommandRun run = CommandRun.of("leaks", recorded(name));
    assertTrue(run.out().startsWith(verdict + ": "), run.out() + run.err());
    String iterations =
        run.out().lines().filter(line -> line.startsWith("iterations")).findFirst().orElseThrow();
    assertTrue(iterations.contains(source), iterations);
    assertEquals(
        verdict.equals("LEAK") || verdict.equals("FRAGMENTATION")
            ? ExitCodes.CHECK_DID_NOT_HOLD
            : ExitCodes.DONE,
        run.exitCode());
  }

  /** Without markers the verdict is the same, though what comes back may be a part of a step. */
  @ParameterizedTest
  @CsvSource({
    "leak_losses, LEAK",
    "gpt_varlen, PLATEAU",
    "gpt_varlen.max_split_32, FRAGMENTATION",
    "gpt_ckpt, PLATEAU",
  })
  void periodsGiveTheVerdictsOfMarkers(String name, String verdict) {
    CommandRun run = CommandRun.of("leaks", recorded(name), "--iterations", "period");
    assertTrue(run.out().startsWith(verdict + ": "), run.out() + run.err());
  }

  /** Four iterations or fewer, one or two prompts, or no repetition at all. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "resnet50_amp",
        "vit_train",
        "llama_generate",
        "gpt_fixed_accum_amp.stacks",
        "device_oom",
        "mempool",
        "../pytorch-other/profiler_gpt",
        "../pytorch-other/oom_observer",
        "../pytorch-other/compile_cudagraphs",
      })
  void recordedRunsThatAreTooShortAreRefused(String name) {
    CommandRun run = CommandRun.of("leaks", recorded(name));
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.out());
    assertTrue(run.err().contains("record more iterations"), run.err());
  }

  @Test
  void theLeakOfLossesIsExactToTheByte() throws IOException {
    Path json = folder.resolve("x.json");
    CommandRun run = CommandRun.of("leaks", recorded("leak_losses"), "--json", json);
    assertTrue(run.out().contains("4.00 MiB      228  912.00 MiB"), run.out());
    String text = Files.readString(json);
    assertTrue(text.contains("\"bytes_per_iteration\": " + (24.0 * (1 << 20) + 512) + ","), text);
  }

  private static Path recorded(String name) {
    Path folder = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    Path path =
        folder.isAbsolute() || Files.exists(folder) ? folder : Path.of("..").resolve(folder);
    Path file = path.resolve("pytorch-models").resolve(name + ".pickle.xz").normalize();
    assumeTrue(Files.exists(file), "left out: no recording " + file);
    return file;
  }

  private static String withoutFolder(String text, Path file) {
    return text.replace(file.toString(), file.getFileName().toString());
  }
}
