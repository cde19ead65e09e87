package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.simulator.policy.PolicySpec;

/**
 * The runs of a comparison that a reader looks at first: the recorded setting of PyTorch, the best
 * one, and the best other allocator. Where PyTorch did not run, the best allocators.
 */
final class KeyRuns {
  /** More lines than this are hard to tell apart in a chart that shows all others behind them. */
  private static final int MOST = 3;

  /** What it holds is what the program asks for, which charts show anyway. */
  private static final String DIRECT = "direct";

  private final List<PolicyResult> runs;

  private KeyRuns(List<PolicyResult> runs) {
    this.runs = List.copyOf(runs);
  }

  /**
   * Of ranked results.
   *
   * @param recordedConf settings that the program was recorded with; null where they are not known
   */
  static KeyRuns of(List<PolicyResult> ranked, String recordedConf) {
    List<PolicyResult> pytorch = new ArrayList<>();
    List<PolicyResult> others = new ArrayList<>();
    List<PolicyResult> rest = new ArrayList<>();
    for (PolicyResult result : ranked) {
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
    List<PolicyResult> wanted = new ArrayList<>();
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
    SequencedMap<String, PolicyResult> key = new LinkedHashMap<>();
    wanted.forEach(result -> key.putIfAbsent(result.choice().label(), result));
    return new KeyRuns(key.values().stream().limit(MOST).toList());
  }

  /** They themselves, those that are more of PyTorch before the others; none where nothing ran. */
  List<PolicyResult> runs() {
    return runs;
  }

  /** Those that are PyTorch's, or all where none is. */
  List<PolicyResult> closest() {
    List<PolicyResult> pytorch = runs.stream().filter(KeyRuns::isPyTorch).toList();
    return pytorch.isEmpty() ? runs : pytorch;
  }

  static boolean isPyTorch(PolicyResult result) {
    return id(result).equals(Scenario.PYTORCH);
  }

  /** Whether a result is that of PyTorch under these settings. */
  static boolean isUnder(PolicyResult result, String conf) {
    return isPyTorch(result) && result.choice().options().getOrDefault("conf", "").equals(conf);
  }

  private static boolean isAllocator(PolicyResult result) {
    return result.choice().provider().spec().kind() == PolicySpec.Kind.ONLINE;
  }

  private static String id(PolicyResult result) {
    return result.choice().provider().spec().id();
  }
}
