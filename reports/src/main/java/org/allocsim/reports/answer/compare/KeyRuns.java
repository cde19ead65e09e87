package org.allocsim.reports.answer.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.run.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a comparison that a reader looks at first: the recorded setting of PyTorch, the best
 * one, and the best other allocator. Where PyTorch did not run, the best allocators.
 */
public final class KeyRuns {
  /** More lines than this are hard to distinguish in a chart that shows all others behind them. */
  private static final int MAX_RUNS = 3;

  /** What it holds is what the program asks for, which charts show anyway. */
  private static final String DIRECT = "direct";

  private final List<RunResult> runs;

  private KeyRuns(List<RunResult> runs) {
    this.runs = List.copyOf(runs);
  }

  /**
   * Of ranked results.
   *
   * @param recordedConf settings that the program was recorded with; null where they are not known
   */
  public static KeyRuns of(List<RunResult> ranked, @Nullable String recordedConf) {
    List<RunResult> pytorch = new ArrayList<>();
    List<RunResult> others = new ArrayList<>();
    List<RunResult> rest = new ArrayList<>();
    for (RunResult result : ranked) {
      if (!result.isRun()) {
        continue;
      }
      if (isPyTorch(result)) {
        pytorch.add(result);
      } else if (isAllocator(result) && !id(result).equals(DIRECT)) {
        others.add(result);
      } else {
        rest.add(result);
      }
    }
    List<RunResult> wanted = new ArrayList<>();
    pytorch.stream()
        .filter(result -> isUnder(result, recordedConf))
        .findFirst()
        .ifPresent(wanted::add);
    pytorch.stream().findFirst().ifPresent(wanted::add);
    others.stream().findFirst().ifPresent(wanted::add);
    wanted.addAll(pytorch);
    wanted.addAll(others);
    wanted.addAll(rest);
    // A choice may have been made twice; its runs look the same.
    SequencedMap<String, RunResult> key = new LinkedHashMap<>();
    wanted.forEach(result -> key.putIfAbsent(result.choice().label(), result));
    return new KeyRuns(key.values().stream().limit(MAX_RUNS).toList());
  }

  /** They themselves, those that are more of PyTorch before the others; none where nothing ran. */
  public List<RunResult> runs() {
    return runs;
  }

  /** Those that are PyTorch's, or all where none is. */
  List<RunResult> closest() {
    List<RunResult> pytorch = runs.stream().filter(KeyRuns::isPyTorch).toList();
    return pytorch.isEmpty() ? runs : pytorch;
  }

  public static boolean isPyTorch(RunResult result) {
    return id(result).equals(Program.PYTORCH);
  }

  /** Whether a result is that of PyTorch under these settings. */
  public static boolean isUnder(RunResult result, @Nullable String conf) {
    return isPyTorch(result) && result.choice().options().getOrDefault("conf", "").equals(conf);
  }

  /** Whether it is of an allocator; bounds and plans know what is to come. */
  static boolean isAllocator(RunResult result) {
    return result.choice().provider().spec().kind() == PolicySpec.Kind.ONLINE;
  }

  private static String id(RunResult result) {
    return result.choice().provider().spec().id();
  }
}
