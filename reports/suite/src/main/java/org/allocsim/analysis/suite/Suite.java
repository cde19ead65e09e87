package org.allocsim.analysis.suite;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.workloads.io.EarlyEnd;

/** The installed scenarios, failures first, each kind in the order of its service file. */
public final class Suite {
  /** Hears how many scenarios are done. */
  @FunctionalInterface
  public interface Progress {
    /** Called by one thread at a time. */
    void done(int scenarios, int total);
  }

  private static final List<SuiteScenario> ALL = load();

  private Suite() {}

  private static List<SuiteScenario> load() {
    List<SuiteScenario> scenarios = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (SuiteScenario scenario : ServiceLoader.load(SuiteScenario.class)) {
      if (!names.add(scenario.topic().name())) {
        throw new IllegalStateException("two scenarios are called " + scenario.topic().name());
      }
      scenarios.add(scenario);
    }
    scenarios.sort(Comparator.comparing(scenario -> scenario.topic().kind()));
    return List.copyOf(scenarios);
  }

  public static List<SuiteScenario> all() {
    return ALL;
  }

  public static Optional<SuiteScenario> named(String name) {
    return ALL.stream().filter(each -> each.topic().name().equals(name)).findFirst();
  }

  /**
   * Runs scenarios on all cores; the results are in their order. Where the process is asked to
   * stop, those that have not begun are missing.
   */
  public static List<SuiteResult> run(List<SuiteScenario> scenarios, Progress progress) {
    List<Callable<Optional<SuiteResult>>> tasks = new ArrayList<>();
    for (SuiteScenario scenario : scenarios) {
      tasks.add(() -> EarlyEnd.isAsked() ? Optional.empty() : Optional.of(run(scenario)));
    }
    return ParallelTasks.run(tasks, progress::done).stream().flatMap(Optional::stream).toList();
  }

  /** Runs one scenario. */
  public static SuiteResult run(SuiteScenario scenario) {
    List<Outcome> outcomes = scenario.variants().stream().map(VariantRun::of).toList();
    Outcomes all = new Outcomes(outcomes);
    return new SuiteResult(
        scenario.topic(), all, scenario.judge(outcomes.get(0), outcomes.get(1), all));
  }
}
