package org.allocsim.reports.question.replay;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.moment.MomentObserver;
import org.allocsim.analysis.moment.RowProgress;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.ReplayJob;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.reports.answer.replay.ModelledReplay;
import org.allocsim.reports.answer.replay.ReplayAnswer;
import org.allocsim.reports.answer.replay.ReplayPictures;
import org.allocsim.reports.answer.replay.ReplayRun;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.ReplayNotes;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.PageRun;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.jspecify.annotations.Nullable;

/**
 * What does one allocator do with a program?
 *
 * @param policy the allocator with its options; null for PyTorch's under the settings that hold
 * @param addresses where addresses come from; null for recorded ones where they fit
 * @param afterOom what to do after a failed request
 * @param insertion calls that are put into the program; null for none
 * @param checks whether the allocator's invariants are checked before and after every request
 * @param files further outputs
 */
public record ReplayQuestion(
    @Nullable PolicyChoice policy,
    @Nullable Addresses addresses,
    AfterOom afterOom,
    @Nullable CacheInsertion insertion,
    boolean checks,
    Files files)
    implements JobQuestion<ReplayAnswer>, DrawnQuestion<ReplayAnswer> {
  /** The default. */
  public static final ReplayQuestion USUAL =
      new ReplayQuestion(null, null, AfterOom.CONTINUE, null, false, Files.NONE);

  /** Failed requests that are kept with their messages. */
  private static final int MAX_FAILURES = 1 << 15;

  private static final String EVENTS = "--events";
  private static final String CHART = "--chart";
  private static final String CHARTS = "--charts";

  /**
   * Further outputs; null if not requested.
   *
   * @param events name of the file that gets every effect as a line
   * @param chart name of the file that gets memory over time
   * @param charts name of the folder that gets all charts
   * @param isByEvent whether the axis of charts counts events
   */
  public record Files(
      @Nullable String events, @Nullable String chart, @Nullable String charts, boolean isByEvent) {
    /** Nothing is. */
    public static final Files NONE = new Files(null, null, null, false);

    /** Whether anything is asked for. */
    boolean isAny() {
      return events != null || chart != null || charts != null;
    }
  }

  /** Refuses what does not go together. */
  public ReplayQuestion {
    if (policy != null && (addresses == Addresses.RECORDED || checks)) {
      throw Failure.usage("--addresses recorded and --check need policy pytorch; omit them");
    }
    if (insertion != null && addresses == Addresses.RECORDED) {
      throw Failure.usage(
          "--insert changes the program, so recorded addresses no longer apply; omit --addresses");
    }
  }

  /** Whether nothing is asked for but statistics of modelled addresses. */
  public boolean isPlain() {
    return addresses != Addresses.RECORDED && insertion == null && !checks && !files.isAny();
  }

  /**
   * Replays with recorded addresses where they were asked for or fit; where they turn out not to
   * fit and were not asked for, once more with modelled ones.
   */
  @Override
  public ReplayAnswer ask(Asked asked) throws IOException {
    Program program = asked.trace().program();
    if (addresses == Addresses.RECORDED && program.input().recording().isEmpty()) {
      throw Failure.usage(program.name() + " has no recorded addresses; omit --addresses recorded");
    }
    OutputFiles.Output events = asked.file(EVENTS);
    boolean isOnlyDevice = asked.trace().conditions().deviceIndex() != null;
    RunPolicy allocator = RunPolicy.of(choice(program));
    long divergedRow = -1;
    if (isRecordedFirst(program)) {
      ReplayRun run = follow(program, program.onRecordedAnswers(allocator), events);
      long row = run.result().divergedRow();
      if (row < 0) {
        return answer(run, Addresses.RECORDED, List.of(), 0, isOnlyDevice);
      }
      if (addresses == Addresses.RECORDED) {
        throw new Failure(
            ("%s: from event %s on, the allocator deviates from the recording, so recorded"
                 + " addresses do not apply; omit --addresses recorded, or give the memory fraction"
                 + " of the recorded run")
                .formatted(program.name(), row));
      }
      divergedRow = row;
      if (events != null) {
        events.restart();
      }
    }
    RunSetup modelled = program.onModel(allocator);
    InsertedCalls changed =
        insertion == null
            ? new InsertedCalls(program, 0)
            : InsertedCalls.into(program, insertion, program.inTime(kept(modelled)));
    RunSetup setup =
        new RunSetup(
            changed.program().input().trace(),
            modelled.device(),
            allocator,
            modelled.limitBytes(),
            modelled.memory());
    ReplayRun run = follow(changed.program(), changed.program().inTime(setup), events);
    return answer(
        run,
        Addresses.MODELLED,
        ModelledReplay.sentences(program, run.result(), divergedRow),
        changed.calls(),
        isOnlyDevice);
  }

  private PolicyChoice choice(Program program) {
    return policy == null ? program.pytorch() : policy;
  }

  private RunSetup kept(RunSetup setup) {
    return setup.with(afterOom).keepingFailures(MAX_FAILURES);
  }

  /** Whether recorded answers come first: where asked for, or with the recorded settings. */
  private boolean isRecordedFirst(Program program) {
    if (addresses != null) {
      return addresses == Addresses.RECORDED;
    }
    return insertion == null
        && choice(program).provider().spec().id().equals(Program.PYTORCH)
        && program.isRecordedFirst();
  }

  private ReplayRun follow(Program program, RunSetup setup, OutputFiles.@Nullable Output events)
      throws IOException {
    MomentObserver moments = new MomentObserver(new MemoryTimeline());
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying");
        OutputStream stream = events == null ? null : new BufferedOutputStream(events.stream());
        EventLines lines = stream == null ? null : new EventLines(stream, setup.trace())) {
      List<RunObserver> observers = new ArrayList<>();
      if (checks) {
        observers.add(new CheckedInvariants(program.config().allocator(), setup.limitBytes()));
      }
      observers.add(RunObserver.hearing(lines == null ? EffectListeners.NONE : lines));
      observers.add(new RowProgress(setup.trace().eventCount(), progress::update));
      Run run = Run.start(kept(setup), moments.with(observers.toArray(RunObserver[]::new)));
      return new ReplayRun(program, choice(program), run.stats(), moments.observed(run.finish()));
    } catch (UnfitTraceException e) {
      throw cannotServe(program, choice(program), "needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  static Failure cannotServe(Program program, PolicyChoice choice, String reason) {
    return new Failure(
        "%s: policy %s cannot serve it: %s".formatted(program.name(), choice.label(), reason));
  }

  private ReplayAnswer answer(
      ReplayRun run,
      Addresses source,
      List<Sentence> remarks,
      int insertions,
      boolean isOnlyDevice) {
    RunResult result = run.result();
    ReplayNotes notes = new ReplayNotes(run.program(), run.config());
    if (source == Addresses.MODELLED) {
      notes.addForModelled(result.failureCount() > 0 && !result.isStopped());
    }
    if (!isOnlyDevice) {
      notes.addOtherDevices();
    }
    if (result.isStopped()) {
      notes.add("the replay stopped at the first failed request (--after-oom stop)");
    }
    if (result.failureCount() > result.failures().size()) {
      notes.add(
          "%s requests failed; the first %s are kept"
              .formatted(result.failureCount(), result.failures().size()));
    }
    if (checks) {
      notes.add("the allocator's invariants held before and after every request");
    }
    return new ReplayAnswer(run, source, remarks, notes.toList(), insertion, insertions);
  }

  @Override
  public Document<ReplayAnswer> document(ReplayAnswer answer) {
    return answer.document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(ReplayAnswer answer) {
    ReplayRun run = answer.run();
    TraceRecording recording = new TraceRecording(run.program().input());
    RunSetup again = run.result().setup();
    ParsedConfig config = run.config();
    return Optional.of(
        List.of(
            config == null
                ? PageRun.of(recording, again, run.choice().label())
                : PageRun.underConf(recording, again, config.text())));
  }

  @Override
  public void open(DocumentOutputs outputs) {
    outputs.open(EVENTS, files.events());
    outputs.open(CHART, files.chart());
    outputs.charts(CHARTS, files.charts());
  }

  @Override
  public void draw(ReplayAnswer answer, DocumentOutputs outputs) throws IOException {
    ReplayPictures pictures = new ReplayPictures(answer);
    if (files.chart() != null) {
      outputs.draw(
          CHART,
          files.chart(),
          pictures.memory(ChartTheme.LIGHT, files.isByEvent()),
          MemoryTimelineChart.WIDTH,
          MemoryTimelineChart.HEIGHT);
    }
    for (ChartFolder each :
        Arrays.asList(outputs.charts(CHARTS, files.charts()), outputs.charts())) {
      if (each != null) {
        pictures.write(each);
      }
    }
  }

  @Override
  public void requireForJob(List<String> names) {
    if (files.isAny()) {
      throw refusedForJob(names.getFirst());
    }
  }

  /** The error for an output of a job that only a single recording has. */
  public static Failure refusedForJob(String folder) {
    return Failure.usage(
        folder
            + " is a job folder, but --repeat, --events, --chart and --charts need a single"
            + " recording; give the file of one rank");
  }

  @Override
  public JobView<ReplayAnswer, ?, ?> view(AskedJobs jobs) {
    return new ReplayJob();
  }
}
