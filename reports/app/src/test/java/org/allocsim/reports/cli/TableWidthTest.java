package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Whatever a command prints on a terminal fits its lines, and its first screen. */
class TableWidthTest {
  private static final int SCREEN_LINES = 30;
  private static final int[] WIDTHS = {80, 100, 120, 200};

  /** PyTorch's messages are printed as PyTorch writes them. */
  private static final String MESSAGE = "CUDA out of memory.";

  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final Path CAT_GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path CUDA_GRAPH = CommandRun.recording("cuda_graph.pickle.xz");
  private static final String FRACTION = "--memory-fraction=0.05";
  private static final String LONG_NAMES =
      "pytorch(conf=max_split_size_mb:128,garbage_collection_threshold:0.8),"
          + "rmm-pool(initial=1GiB;max=80GiB),direct,max-live";

  private static final List<List<Object>> COMMANDS =
      List.of(
          List.of("replay", SAMPLE, FRACTION, "--conf", "expandable_segments:True"),
          List.of("verify", SAMPLE, FRACTION),
          List.of("compare", CAT_GROWTH, "--policies", LONG_NAMES),
          List.of("tune", CAT_GROWTH),
          List.of("min-capacity", CAT_GROWTH),
          List.of("min-capacity", CAT_GROWTH, "--policies", LONG_NAMES),
          List.of("suite", "--list"),
          List.of("suite", "weight-conversion"),
          List.of("leaks", CAT_GROWTH),
          List.of("blockers", SAMPLE, FRACTION, "--at", "oom"),
          List.of("blockers", CUDA_GRAPH),
          List.of("peak", CUDA_GRAPH),
          List.of("account", SAMPLE, FRACTION),
          List.of("diff", SAMPLE, CAT_GROWTH),
          List.of("check", SAMPLE, FRACTION, "--max-reserved=4GiB", "--max-slack=5%"),
          List.of("diagnose", CAT_GROWTH),
          List.of("perturb", CAT_GROWTH, "--runs=3", "--swap-adjacent"),
          List.of("lint-conf", "max_split_size_mb:128,expandable_segments:True"),
          List.of("inspect", CUDA_GRAPH),
          List.of("list", "policies"),
          List.of("list", "policies", "bfc"),
          List.of("list", "formats"),
          List.of("list", "programs"),
          List.of("list", "programs", "gpt"),
          List.of("list", "devices"));

  @TestFactory
  List<DynamicTest> linesFit() {
    List<DynamicTest> tests = new ArrayList<>();
    for (List<Object> command : COMMANDS) {
      for (int width : WIDTHS) {
        tests.add(
            DynamicTest.dynamicTest(width + ": " + command, () -> assertFits(command, width)));
      }
    }
    return tests;
  }

  /** Lists that are asked for are printed whole. */
  @TestFactory
  Stream<DynamicTest> anAnswerHasAScreenOfLines() {
    return COMMANDS.stream()
        .filter(command -> !command.contains("--list"))
        .map(command ->
            DynamicTest.dynamicTest(
                command.toString(),
                () -> {
                  String out = CommandRun.within(80, command.toArray()).out();
                  assertTrue(out.lines().count() <= SCREEN_LINES, out);
                }));
  }

  /** As on a screen, but all of the answer. */
  private static void assertFits(List<Object> command, int width) {
    List<Object> whole = new ArrayList<>(command);
    whole.add("--all");
    CommandRun run = CommandRun.within(width, whole.toArray());
    assertTrue(run.exitCode() == 0 || run.exitCode() == ExitCodes.CHECK_DID_NOT_HOLD, run.err());
    List<String> tooLong =
        run.out()
            .lines()
            .filter(line -> line.length() > width && !line.startsWith(MESSAGE))
            .filter(line -> Arrays.stream(line.split(" ")).noneMatch(w -> w.length() > width / 2))
            .toList();
    assertEquals(List.of(), tooLong);
  }
}
