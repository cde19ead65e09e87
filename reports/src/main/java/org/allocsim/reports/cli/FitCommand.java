package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.allocsim.analysis.fit.NamedSizes;
import org.allocsim.analysis.fit.ProgramFit;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.job.FitJob;
import org.allocsim.reports.answer.tuning.FitAnswer;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.transform.SizeFit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim fit}: what a program needs at another batch or length. */
@Command(
    name = "fit",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Predicts what a program needs at another batch or length.",
      "",
      "Give two recordings or more that differ in their batch or length only. Their sizes are the",
      "number in which the file names differ, or those of --sizes.",
      "",
      "Requests are aligned by stack, stream and order, so recordings may differ in their number.",
      "Each size is a line, or a parabola, through those of the recordings. The requests at the",
      "size that is asked for then run through the allocator. Two recordings cannot show where a",
      "program begins to work differently: three narrow the interval or show that it is wide. Of",
      "folders with the recordings of jobs it predicts every rank, and what all of them can do."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, runs of different programs, unwritable output",
      "2:wrong usage",
      "3:under every setting a request fails at the size that is asked for"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim fit --batch 64 batch8.pickle batch16.pickle",
      "  allocsim fit --length 4096 --sizes 512,1024,2048 a.pickle b.pickle c.pickle --device t4",
      "  allocsim fit --batch 64 b8.pickle b16.pickle --confs ';expandable_segments:True' --json -",
      "  allocsim fit --batch 64 ranks8/ ranks16/"
    })
final class FitCommand implements Callable<Integer> {
  /** A device on which no program of today runs short. */
  private static final long AMPLE_BYTES = 1L << 44;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final String EXPANDABLE = "expandable_segments:True";

  @Parameters(
      paramLabel = "TRACE",
      arity = "2..*",
      description =
          "Recordings of different batches or lengths, or folders with the recordings of such"
              + " jobs.")
  private List<String> recordings;

  @Option(
      names = "--sizes",
      paramLabel = "N,N,...",
      split = ",",
      description =
          "Batches or lengths of the recordings, in their order (default: the number in which their"
              + " names differ).")
  private List<Double> sizes;

  @Option(
      names = {"--batch", "--length"},
      paramLabel = "N",
      required = true,
      description = "Batch or length that is asked for.")
  private double wanted;

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of policy pytorch, separated by semicolons; an empty one is PyTorch's default"
              + " (default: the recorded ones and expandable segments).")
  private String confs;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (!(wanted > 0) || Double.isInfinite(wanted)) {
      throw Failure.usage("--batch " + wanted + " is no size; give a number above 0");
    }
    List<Double> values = values();
    if (recordings.stream().anyMatch(Jobs::isFolder)) {
      return fitJobs(values);
    }
    Path[] files = recordings.stream().map(Traces::file).toArray(Path[]::new);
    try (DocumentOutputs outputs = outputOptions.open(files)) {
      FitAnswer answer = fit(recordings, values);
      outputs.write(answer.document());
      return answer.rows().stream().anyMatch(FitAnswer.Row::fits)
          ? ExitCodes.DONE
          : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private int fitJobs(List<Double> values) throws IOException {
    List<Job> jobs = Jobs.openAll(recordings);
    List<Ranked<List<Path>>> common = Jobs.common(jobs);
    List<Rank> left =
        jobs.stream().flatMap(job -> job.without(common).stream()).distinct().toList();
    return JobRun.ofSeveral(outputOptions, names -> fit(names, values))
        .run(
            jobs,
            common,
            Function.identity(),
            new FitJob(wanted, FitJob.sized(jobs, values), left));
  }

  private FitAnswer fit(List<String> names, List<Double> values) {
    long startNanos = System.nanoTime();
    List<DeviceTrace> traces = new ArrayList<>();
    List<SizeFit.Run> runs = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      DeviceTrace trace = traceOptions.read(names.get(i), deviceOptions.release());
      traces.add(trace);
      runs.add(new SizeFit.Run(trace.trace(), trace.device(), values.get(i)));
    }
    try {
      SizeFit sizeFit = SizeFit.of(runs);
      if (sizes == null && !sizeFit.isProportional()) {
        throw new IllegalArgumentException(
            "no request grows as the numbers in the file names do; give the batches or lengths"
                + " with --sizes");
      }
      ProgramFit fit = new ProgramFit(sizeFit);
      List<FitAnswer.Row> rows = rows(fit, traces.getFirst());
      double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
      return new FitAnswer(names, fit, wanted, rows, seconds);
    } catch (IllegalArgumentException e) {
      throw new Failure(String.join(", ", names) + ": " + e.getMessage(), e);
    }
  }

  private List<Double> values() {
    if (sizes == null) {
      return NamedSizes.of(recordings)
          .orElseThrow(() ->
              Failure.usage(
                  "the names of the recordings do not say their batches or lengths; give them with"
                      + " --sizes, such as --sizes 8,16"));
    }
    if (sizes.size() != recordings.size()) {
      throw Failure.usage(
          "--sizes has "
              + Numbers.count(sizes.size(), "number")
              + " for "
              + Numbers.count(recordings.size(), "recording")
              + "; give one for each, in their order");
    }
    return sizes;
  }

  private List<FitAnswer.Row> rows(ProgramFit fit, DeviceTrace first) {
    List<ParsedConfig> settings = settings(first);
    RecordedCircumstances circumstances = deviceOptions.circumstances(first, settings.getFirst());
    List<FitAnswer.Row> rows = new ArrayList<>();
    try (ProgressMeter progress = ProgressMeter.of("predicting", "settings")) {
      for (ParsedConfig config : settings) {
        Scenario scenario = scenario(config, circumstances.limitBytes(), circumstances.profile());
        Scenario ample = scenario(config, MemoryLimit.NONE, DeviceProfiles.ofCapacity(AMPLE_BYTES));
        ProgramFit.Prediction prediction = fit.predict(wanted, ample);
        long largest = fit.largest(scenario);
        rows.add(new FitAnswer.Row(scenario, prediction, largest, fit.fits(wanted, scenario)));
        progress.update(rows.size(), settings.size());
      }
    }
    return rows;
  }

  private Scenario scenario(ParsedConfig config, long limitBytes, DeviceProfile device) {
    Settings.requirePossible(config, device);
    return new Scenario(config, deviceOptions.torchVersion(), limitBytes, device);
  }

  private List<ParsedConfig> settings(DeviceTrace first) {
    SequencedSet<String> texts = new LinkedHashSet<>();
    if (confs != null) {
      texts.addAll(ConfListOptions.split(confs));
    } else {
      texts.add(first.conf() == null ? "" : first.conf());
      if (deviceOptions.torchVersion().knowsKey("expandable_segments")) {
        texts.add(EXPANDABLE);
      }
    }
    return texts.stream()
        .map(
            text -> Settings.parse("--confs", text, deviceOptions.torchVersion(), Scenario.PYTORCH))
        .toList();
  }
}
