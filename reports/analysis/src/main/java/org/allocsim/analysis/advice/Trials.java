package org.allocsim.analysis.advice;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.allocsim.simulator.device.DeviceProfile;
import org.jspecify.annotations.Nullable;

/**
 * What was found of a program so far.
 *
 * @param program its command line
 * @param gpu the GPU that it is to run on
 * @param goal the memory that it is to fit
 * @param triesAll whether all remedies are tried, also where the program fits
 * @param chosen names of the remedies that are tried; null for all
 * @param isOutOfTime whether runs were left out for lack of time
 * @param remedies all remedies that there are
 * @param trials the runs, in the order in which they ended
 */
public record Trials(
    String program,
    DeviceProfile gpu,
    Goal goal,
    boolean triesAll,
    @Nullable List<String> chosen,
    boolean isOutOfTime,
    List<Remedy> remedies,
    List<Trial> trials) {
  /** Keeps its own copies. */
  public Trials {
    remedies = List.copyOf(remedies);
    trials = List.copyOf(trials);
  }

  /**
   * A run in which the program did all of its work.
   *
   * @param trial the run
   * @param outcome what it needs
   */
  public record Done(Trial trial, Trial.Outcome outcome) {
    /** Names of its remedies. */
    public List<String> remedies() {
      return trial.remedies();
    }
  }

  /** The program as it is; empty before it ran. */
  public Optional<Trial> baseline() {
    return trials.stream().filter(Trial::isBaseline).findFirst();
  }

  /** The run with some remedies, in any order. */
  public Optional<Trial> with(List<String> names) {
    Set<String> wanted = Set.copyOf(names);
    return trials.stream()
        .filter(each -> each.remedies().size() == wanted.size())
        .filter(each -> wanted.containsAll(each.remedies()))
        .findFirst();
  }

  /** The runs in which the program did all of its work. */
  public Stream<Done> done() {
    return trials.stream().flatMap(each -> done(each).stream());
  }

  /** A run in which the program did all of its work; empty for another one. */
  public static Optional<Done> done(Trial trial) {
    return trial.result() instanceof Trial.Outcome outcome
        ? Optional.of(new Done(trial, outcome))
        : Optional.empty();
  }

  /**
   * A remedy by its name.
   *
   * @throws IllegalArgumentException where there is none
   */
  public Remedy remedy(String name) {
    return remedies.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown remedy: " + name));
  }

  /** Whether a remedy may be added to others: of a group, one is taken. */
  boolean goTogether(Collection<String> names, String added) {
    String group = remedy(added).group();
    return names.stream().noneMatch(each -> remedy(each).group().equals(group));
  }

  /** Whether the program fits so. */
  public Goal.Fit fit(Trial trial) {
    return done(trial).map(each -> goal.fit(each.outcome())).orElse(Goal.Fit.NO);
  }

  /**
   * How much longer a step takes than that of the program as it is, as a share of it, by the
   * roofline of the GPU.
   *
   * @return null where the work of one of them is not known
   */
  public @Nullable Double addedTimeRatio(Trial trial) {
    StepWork before = baseline().map(Trial::work).orElse(null);
    StepWork after = trial.work();
    if (before == null || after == null || (before.steps() == 0) != (after.steps() == 0)) {
      return null;
    }
    double nanos = before.nanos(gpu.compute());
    return nanos <= 0 ? null : after.nanos(gpu.compute()) / nanos - 1;
  }

  /**
   * The share of reserved memory that a run saves; below 0 where it takes more, 0 where it fails.
   */
  public double savedRatio(Trial trial) {
    Optional<Done> before = baseline().flatMap(Trials::done);
    Optional<Done> after = done(trial);
    if (before.isEmpty() || after.isEmpty()) {
      return 0;
    }
    long beforeBytes = Math.max(1, before.get().outcome().reservedBytes());
    return 1 - (double) after.get().outcome().reservedBytes() / beforeBytes;
  }
}
