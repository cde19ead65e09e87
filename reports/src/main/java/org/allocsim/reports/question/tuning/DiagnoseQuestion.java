package org.allocsim.reports.question.tuning;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.diagnosis.MessageConditions;
import org.allocsim.analysis.diagnosis.SettingTrial;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.answer.diagnosis.DiagnoseAnswer;
import org.allocsim.reports.answer.diagnosis.DiagnosedProgram;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.answer.job.DiagnoseJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.TuneRecording;
import org.allocsim.reports.wing.IdleTime;
import org.allocsim.reports.wing.Wings;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.kineto.KinetoFormat;
import org.allocsim.workloads.format.nsys.NsysFormat;
import org.jspecify.annotations.Nullable;

/**
 * Why did a run fail, and what would have saved it? Without a trace the log alone says why.
 *
 * @param platform where the program is to run
 * @param rules the user's own categories
 * @param log the log of the run; null if unknown
 */
public record DiagnoseQuestion(Platform platform, CategoryRules rules, @Nullable RunLog log)
    implements JobQuestion<DiagnoseAnswer> {
  /** Formats whose files have the time of a GPU. */
  private static final Set<String> TIMED = Set.of(KinetoFormat.ID, NsysFormat.ID);

  /** What a run said. */
  @FunctionalInterface
  public interface RunLog {
    /** Explains its messages. */
    ExplainOomAnswer explain() throws IOException;
  }

  /** The default. */
  public static final DiagnoseQuestion USUAL =
      new DiagnoseQuestion(Platform.LINUX, CategoryRules.NONE, null);

  @Override
  public DiagnoseAnswer ask(Asked asked) throws IOException {
    ExplainOomAnswer said = log == null ? null : log.explain();
    return new DiagnoseAnswer(
        asked.traces().isEmpty() ? null : diagnose(asked.trace().program(), said), said);
  }

  private DiagnosedProgram diagnose(Program recorded, @Nullable ExplainOomAnswer said) {
    Program program = recorded;
    if (said != null && !said.contents().found().isEmpty()) {
      OomLog.Found message = said.contents().found().getFirst();
      MessageConditions known =
          MessageConditions.of(
              program, message.message(), "line " + message.line() + " of " + said.name());
      program = program.knowing(known.recorded(), known.again());
    }
    try (ProgressMeter progress = ProgressMeter.of("diagnosing", "settings")) {
      DiagnosedProgram diagnosed = DiagnosedProgram.of(program, platform, rules, progress::update);
      return idle(program).map(diagnosed::with).orElse(diagnosed);
    }
  }

  /** Why the GPU is idle; empty where the file does not have the time, or the wing is missing. */
  private static Optional<IdleTime.Summary> idle(Program program) {
    if (!TIMED.contains(program.source().format())) {
      return Optional.empty();
    }
    Optional<IdleTime> wing = Wings.idleTime();
    if (wing.isEmpty()) {
      return Optional.empty();
    }
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading the time")) {
      return wing.get().of(Path.of(program.name()), progress::update);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  private static DiagnosedProgram program(DiagnoseAnswer answer) {
    return Objects.requireNonNull(answer.program());
  }

  @Override
  public Document<DiagnoseAnswer> document(DiagnoseAnswer answer) {
    return answer.document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(DiagnoseAnswer answer) {
    return Optional.ofNullable(answer.program())
        .map(program ->
            List.of(
                TuneRecording.of(
                    new TraceRecording(program.input(), program::attribution),
                    program.input(),
                    program.diagnosis().tuning(),
                    program.recordedConditions().maxBytes(),
                    true)));
  }

  @Override
  public boolean holds(DiagnoseAnswer answer) {
    return program(answer).diagnosis().tuning().best().result().passes();
  }

  @Override
  public int exitCode(DiagnoseAnswer answer) {
    return answer.program() == null && answer.log() != null
        ? answer.log().exitCode()
        : JobQuestion.super.exitCode(answer);
  }

  @Override
  public void requireForJob(List<String> names) {
    if (names.size() > 1) {
      throw Failure.usage(
          String.join(" and ", names)
              + ": a job is diagnosed from its recordings; omit the other name, or give the"
              + " recording of one rank with its log");
    }
  }

  @Override
  public JobView<DiagnoseAnswer, ?, ?> view(AskedJobs jobs) {
    return new DiagnoseJob(
            platform,
            (rank, conf) -> {
              try (ProgressMeter progress = ProgressMeter.of("diagnosing", "copies")) {
                return SettingTrial.of(jobs.again().apply(rank).program(), conf, progress::update);
              }
            })
        .of(DiagnoseQuestion::program)
        .onAllCores();
  }
}
