package org.allocsim.reports.question.tuning;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.allocsim.analysis.fit.ProgramFit;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.job.FitJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.tuning.FitAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.transform.SizeFit;
import org.jspecify.annotations.Nullable;

/**
 * What does a program need at another batch or length?
 *
 * @param wanted batch size or length to predict
 * @param sizes those of the recordings, in their order
 * @param areNamed whether the sizes are those that the names of files give
 * @param confs settings of PyTorch's allocator; null for the recorded ones and expandable segments
 */
public record FitQuestion(
    double wanted, List<Double> sizes, boolean areNamed, @Nullable List<String> confs)
    implements JobQuestion<FitAnswer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String EXPANDABLE = "expandable_segments:True";

  /** Rejects an invalid size. */
  public FitQuestion {
    if (!(wanted > 0) || Double.isInfinite(wanted)) {
      throw Failure.usage("--batch " + wanted + " must be a number above 0");
    }
  }

  @Override
  public FitAnswer ask(Asked asked) {
    long startNanos = System.nanoTime();
    List<Program> programs = new ArrayList<>();
    List<SizeFit.Run> runs = new ArrayList<>();
    List<String> names = asked.traces().stream().map(AskedTrace::name).toList();
    for (int i = 0; i < names.size(); i++) {
      programs.add(asked.traces().get(i).program());
      DeviceTrace trace = programs.get(i).input();
      runs.add(new SizeFit.Run(trace.trace(), trace.device(), sizes.get(i)));
    }
    try {
      SizeFit sizeFit = SizeFit.of(runs);
      if (areNamed && !sizeFit.isProportional()) {
        throw new IllegalArgumentException(
            "no request grows with the numbers in the file names; give the batch sizes or lengths"
                + " with --sizes");
      }
      ProgramFit fit = new ProgramFit(sizeFit);
      List<FitAnswer.Row> rows = rows(fit, programs.getFirst(), asked);
      double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
      return new FitAnswer(names, fit, wanted, rows, seconds);
    } catch (IllegalArgumentException e) {
      throw new Failure(String.join(", ", names) + ": " + e.getMessage(), e);
    }
  }

  private List<FitAnswer.Row> rows(ProgramFit fit, Program first, Asked asked) {
    List<ParsedConfig> settings = settings(first);
    List<FitAnswer.Row> rows = new ArrayList<>();
    long requestedBytes =
        Demand.of(fit.at(wanted), first.input().device(), AllocatorConfig.DEFAULT)
            .peakRequestedBytes();
    try (ProgressMeter progress = ProgressMeter.of("predicting", "settings")) {
      asked.mayEndEarly();
      for (ParsedConfig config : settings) {
        if (EarlyEnd.isAsked() && !rows.isEmpty()) {
          break;
        }
        RecordedConditions recordedConditions = first.recordedConditions(config);
        Scenario scenario =
            scenario(first, config, recordedConditions.limitBytes(), recordedConditions.profile());
        Scenario ample =
            scenario(first, config, MemoryLimit.NONE, DeviceProfiles.ample(requestedBytes));
        ProgramFit.Prediction prediction = fit.predict(wanted, ample);
        long largest = fit.largest(scenario);
        rows.add(new FitAnswer.Row(scenario, prediction, largest, fit.fits(wanted, scenario)));
        progress.update(rows.size(), settings.size());
      }
    }
    return rows;
  }

  private static Scenario scenario(
      Program first, ParsedConfig config, long limitBytes, DeviceProfile device) {
    Traces.requirePossible(config, device);
    return new Scenario(config, first.release(), limitBytes, device);
  }

  private List<ParsedConfig> settings(Program first) {
    SequencedSet<String> texts = new LinkedHashSet<>();
    if (confs != null) {
      texts.addAll(confs);
    } else {
      texts.add(first.config().text());
      if (first.release().knowsKey("expandable_segments")) {
        texts.add(EXPANDABLE);
      }
    }
    return texts.stream().map(text -> Traces.settings(text, first.release())).toList();
  }

  @Override
  public Document<FitAnswer> document(FitAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(FitAnswer answer) {
    return answer.rows().stream().anyMatch(FitAnswer.Row::fits);
  }

  @Override
  public JobView<FitAnswer, ?, ?> view(AskedJobs jobs) {
    List<Rank> left =
        jobs.jobs().stream().flatMap(job -> jobs.alone(job).stream()).distinct().toList();
    return new FitJob(wanted, FitJob.sized(jobs.jobs(), sizes), left);
  }
}
