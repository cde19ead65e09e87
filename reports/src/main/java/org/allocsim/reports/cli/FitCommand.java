package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import org.allocsim.analysis.fit.ProgramFit;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.tuning.FitAnswer;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.typed.TypedNumber;
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
      "Give two recordings or more that differ in one parameter, each with its value. Requests are",
      "aligned by stack, stream and order, so recordings may differ in their number. Each size is"
          + " a",
      "line, or a parabola, through those of the recordings. The requests at the value that is"
          + " asked",
      "for then run through the allocator. Two recordings cannot show that a size grows unevenly:",
      "give three where a step changes with the parameter."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, runs of different programs, unwritable output",
      "2:wrong usage",
      "3:under every setting a request fails at the value"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim fit --batch 64 8=batch8.pickle 16=batch16.pickle",
      "  allocsim fit --length 4096 512=a.pickle 1024=b.pickle 2048=c.pickle --device 'RTX 4090'",
      "  allocsim fit --at 64 8=a.pickle 16=b.pickle --confs ';expandable_segments:True' --json -"
    })
final class FitCommand implements Callable<Integer> {
  /** A device on which no program of today runs short. */
  private static final long AMPLE_BYTES = 1L << 44;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final String EXPANDABLE = "expandable_segments:True";

  @Parameters(
      paramLabel = "VALUE=TRACE",
      arity = "2..*",
      description = "Recordings with their values of the parameter, such as 8=batch8.pickle.")
  private List<String> recordings;

  @Option(
      names = {"--at", "--batch", "--length"},
      paramLabel = "N",
      required = true,
      description = "Value of the parameter that is asked for.")
  private double value;

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
    if (!(value > 0) || Double.isInfinite(value)) {
      throw Failure.usage("--at " + value + " is no value; give a number above 0");
    }
    List<FitAnswer.Recorded> named = recordings.stream().map(FitCommand::recorded).toList();
    try (DocumentOutputs outputs =
        outputOptions.open(
            named.stream().map(each -> Traces.file(each.file())).toArray(Path[]::new))) {
      long startNanos = System.nanoTime();
      List<DeviceTrace> traces = new ArrayList<>();
      List<SizeFit.Run> runs = new ArrayList<>();
      for (FitAnswer.Recorded each : named) {
        DeviceTrace trace = traceOptions.read(each.file(), deviceOptions.release());
        traces.add(trace);
        runs.add(new SizeFit.Run(trace.trace(), trace.device(), each.value()));
      }
      ProgramFit fit;
      List<FitAnswer.Row> rows;
      try {
        fit = new ProgramFit(SizeFit.of(runs));
        rows = rows(fit, traces.getFirst());
      } catch (IllegalArgumentException e) {
        throw new Failure(String.join(", ", recordings) + ": " + e.getMessage(), e);
      }
      double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
      outputs.write(new FitAnswer(named, fit.sharedRatio(), value, rows, seconds).document());
      return rows.stream().anyMatch(FitAnswer.Row::fits)
          ? ExitCodes.DONE
          : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private static FitAnswer.Recorded recorded(String text) {
    int sign = text.indexOf('=');
    try {
      return new FitAnswer.Recorded(
          text.substring(sign + 1), Double.parseDouble(TypedNumber.plain(text.substring(0, sign))));
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw Failure.usage(
          "'" + text + "' does not say its value of the parameter; write it as 8=" + text);
    }
  }

  private List<FitAnswer.Row> rows(ProgramFit fit, DeviceTrace first) {
    List<ParsedConfig> settings = settings(first);
    RecordedCircumstances circumstances = deviceOptions.circumstances(first, settings.getFirst());
    List<FitAnswer.Row> rows = new ArrayList<>();
    try (ProgressMeter progress = ProgressMeter.ofSettings("predicting")) {
      for (ParsedConfig config : settings) {
        Scenario scenario = scenario(config, circumstances.limitBytes(), circumstances.profile());
        Scenario ample = scenario(config, MemoryLimit.NONE, DeviceProfiles.ofCapacity(AMPLE_BYTES));
        ProgramFit.Prediction prediction = fit.predict(value, ample);
        long largest = fit.largest(scenario);
        rows.add(new FitAnswer.Row(scenario, prediction, largest, fit.fits(value, scenario)));
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
