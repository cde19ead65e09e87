package org.allocsim.reports.question.page;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.MomentObserver;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.reports.answer.compare.KeyRuns;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.PolicyRecording;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.run.TimelineObserver;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * Runs policies, each once, for figures, charts and page alike: what a page shows of a run is
 * recorded while it runs.
 */
public final class RecordedTrial {
  /** Buckets of memory over time for charts. */
  private static final int BUCKETS = 1 << 12;

  private final Program program;
  private final @Nullable TraceRecording recording;
  private final IdentityHashMap<PolicyChoice, PolicyRecording> recordings = new IdentityHashMap<>();

  /**
   * A trial.
   *
   * @param program the run under its recorded settings follows the recorded answers
   * @param isShown whether a page or charts are requested
   */
  public RecordedTrial(Program program, boolean isShown) {
    this.program = program;
    recording = isShown ? new TraceRecording(program.input()) : null;
  }

  /**
   * Runs every choice, on all cores; the runs are in the order of the choices. Where the process is
   * asked to stop, those that have not begun are missing.
   */
  public List<ObservedRun> runAll(List<PolicyChoice> choices, ParallelTasks.Progress progress) {
    MomentObserver[] observers = new MomentObserver[choices.size()];
    @Nullable PolicyRecorder[] recorders = new PolicyRecorder[choices.size()];
    List<Callable<Optional<RunResult>>> tasks = new ArrayList<>();
    for (int i = 0; i < choices.size(); i++) {
      int place = i;
      tasks.add(() -> {
        if (EarlyEnd.isAsked()) {
          return Optional.empty();
        }
        if (recording == null) {
          observers[place] = new MomentObserver();
          return Optional.of(run(choices.get(place), recorders, place, observers[place].with()));
        }
        MemoryTimeline timeline = new MemoryTimeline(BUCKETS);
        PolicyRecorder recorder = recording.recorder(timeline);
        recorders[place] = recorder;
        observers[place] = new MomentObserver(timeline);
        return Optional.of(
            run(choices.get(place), recorders, place, observers[place].with(recorder)));
      });
    }
    List<Optional<RunResult>> results = ParallelTasks.run(tasks, progress);
    List<ObservedRun> observed = new ArrayList<>();
    for (int i = 0; i < observers.length; i++) {
      if (results.get(i).isPresent()) {
        RunResult result = results.get(i).get();
        observed.add(observers[i].observed(result));
        if (recorders[i] != null) {
          recordings.put(result.choice(), recorders[i].recording());
        }
      }
    }
    return observed;
  }

  /**
   * Runs a choice. Where it follows the recorded answers, what was recorded for the page is that
   * run, so that a page has the addresses that other commands print.
   */
  private RunResult run(
      PolicyChoice choice,
      @Nullable PolicyRecorder[] recorders,
      int place,
      RunObserver... observers) {
    Program chosen = program.with(choice);
    RunSetup setup = chosen.onModel(RunPolicy.of(choice));
    RunResult result = Run.of(setup, observers);
    if (!result.isRun() || !KeyRuns.isPyTorch(result)) {
      return result;
    }
    if (recording == null) {
      return chosen.follow(setup).map(result::answeredAs).orElse(result);
    }
    PolicyRecorder recorder = recording.recorder();
    Optional<RunResult> followed =
        chosen.follow(setup, new TimelineObserver(recorder.timeline()), recorder);
    if (followed.isPresent() && recorder.recording() != null) {
      recorders[place] = recorder;
    }
    return followed.map(result::answeredAs).orElse(result);
  }

  /**
   * What was recorded. The page shows the best setting of PyTorch first, next to the recorded one.
   *
   * @param rows the results in the order in which the page shows them
   * @param recordedConf settings that the program was recorded with; null if they are unknown
   */
  public TraceRecording recording(List<RunResult> rows, @Nullable String recordedConf) {
    if (recording == null) {
      throw new IllegalStateException("the runs were not recorded, because no page was requested");
    }
    KeyRuns key = KeyRuns.of(rows, recordedConf);
    // What most readers look at is kept whole before the others: PyTorch under its settings.
    SequencedSet<RunResult> order = new LinkedHashSet<>(key.runs());
    rows.stream().filter(KeyRuns::isPyTorch).forEach(order::add);
    order.addAll(rows);
    List<Integer> highlights = new ArrayList<>();
    Integer first = null;
    Integer recorded = null;
    for (RunResult result : order) {
      PolicyRecording each = recordings.get(result.choice());
      if (each == null) {
        continue;
      }
      int row = rows.indexOf(result);
      recording.add(row, result.choice().label(), each, result.time());
      if (key.runs().contains(result)) {
        highlights.add(row);
      }
      boolean isPyTorch = KeyRuns.isPyTorch(result);
      first = isPyTorch && (first == null || row < first) ? Integer.valueOf(row) : first;
      recorded = KeyRuns.isUnder(result, recordedConf) ? Integer.valueOf(row) : recorded;
    }
    recording.highlight(highlights);
    if (recorded != null) {
      recording.recorded(recorded);
    }
    if (first != null) {
      recording.opensWith(first, first.equals(recorded) ? null : recorded);
    }
    return recording;
  }
}
