package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.ServedBlocks;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.reports.answer.diagnosis.LeaksAnswer;
import org.allocsim.reports.answer.job.LeaksJob;
import org.allocsim.reports.answer.part.PageRun;
import org.allocsim.reports.answer.replay.ReplayRun;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.LeakTrendChart;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.IterationsOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim leaks}: does memory grow from iteration to iteration, and what does? */
@Command(
    name = "leaks",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Distinguishes leaks, fragmentation and plateaus over iterations.",
      "Shows what grows, and at which iteration (counted from 0) a GPU will be full.",
      "",
      "LEAK           live memory at the quietest moment of each iteration grows",
      "FRAGMENTATION  live memory does not, but what the allocator reserves beyond it does",
      "PLATEAU        memory grew after the warm-up and has stopped, or only with larger batches",
      "NONE           nothing grew after the warm-up",
      "",
      "The slope is the median over all pairs of iterations (Theil, Sen) with Kendall's interval.",
      "Growth below 512 B an iteration is not called a leak. A leak needs at least 5 iterations",
      "after the warm-up, fragmentation 10. A GPU is full when live memory at the busiest moment",
      "reaches its size, or for FRAGMENTATION when reserved memory does."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:PLATEAU or NONE",
      "1:failed: unreadable input, too few iterations, unwritable output",
      "2:wrong usage",
      "3:LEAK or FRAGMENTATION"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim leaks snapshot.pickle",
      "  allocsim leaks snapshot.pickle --capacity 24GiB --chart leak.svg",
      "  allocsim leaks snapshot.pickle --iterations ProfilerStep#1 --warm-up 3",
      "  allocsim leaks snapshot.pickle --iterations period --json leak.json"
    })
final class LeaksCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Mixin private IterationsOption iterationsOption;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Leave the first N iterations out (default: found from the data).")
  private Integer warmUp;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Draw live and reserved memory per iteration as " + ChartFile.EXTENSIONS + ".")
  private String chartName;

  @Mixin private FigureOptions outputOptions;

  /**
   * An answer and the run that it is about.
   *
   * @param conf the settings of the run
   */
  record Analysed(LeaksAnswer answer, RunSetup run, String conf) {
    private List<TraceRecording> pageRuns() {
      return List.of(PageRun.underConf(new TraceRecording(answer.input()), run, conf));
    }
  }

  @Override
  public Integer call() throws IOException {
    ChartFile chartFormat = FigureOptions.format(chartName);
    outputOptions.requireCharts(chartName != null, "--chart FILE or --report DIR, or leave it out");
    if (warmUp != null && warmUp < 0) {
      throw Failure.usage("--warm-up " + warmUp + " is negative; give a number of iterations");
    }
    if (Jobs.isFolder(traceName)) {
      if (chartName != null) {
        throw Failure.usage(
            "--chart draws one recording; give the file of one rank instead of the folder "
                + traceName);
      }
      return JobRun.of(outputOptions, this::analyse)
          .showing(Analysed::pageRuns)
          .run(traceName, Analysed::answer, new LeaksJob());
    }
    List<Path> inputs = Collections.singletonList(Traces.file(traceName));
    try (DocumentOutputs outputs = outputOptions.open(inputs.toArray(Path[]::new))) {
      OutputFiles.Output chart = outputs.open("--chart", chartName);
      Analysed analysed = analyse();
      LeaksAnswer answer = analysed.answer();
      if (chart != null && chartFormat != null) {
        outputOptions.draw(
            answer.chart(ChartTheme.LIGHT, outputOptions.isByEvent()),
            LeakTrendChart.WIDTH,
            LeakTrendChart.HEIGHT,
            chartFormat,
            chart);
      }
      if (outputs.charts() != null && ChartFonts.areAvailable()) {
        outputs
            .charts()
            .write(
                "leak",
                LeakTrendChart.WIDTH,
                LeakTrendChart.HEIGHT,
                theme -> answer.chart(theme, outputOptions.isByEvent()));
      }
      outputs.write(answer.document(outputs.charts() != null), analysed::pageRuns);
      return answer.analysis().verdict().isHarmful()
          ? ExitCodes.CHECK_DID_NOT_HOLD
          : ExitCodes.DONE;
    }
  }

  /** The recording is replayed as it was made; the device that was chosen is only forecast. */
  Analysed analyse() throws IOException {
    return analyse(traceName);
  }

  private Analysed analyse(String name) throws IOException {
    TraceSource source = traceOptions.open(name);
    deviceOptions.release().follow(source);
    PyTorchVersion version = deviceOptions.torchVersion();
    ParsedConfig config = Settings.recorded(source, version);
    DeviceProfile recordedOn = DeviceProfiles.defaultProfile();
    DeviceTrace input =
        traceOptions.read(
            source, ReadingOptions.of(version).withDeviceTotal(recordedOn.totalBytes()));
    int device = input.device();
    AllocationTrace trace = input.trace();
    RecordedCircumstances circumstances = RecordedCircumstances.of(input, MemoryLimit.NONE, null);
    ReplaySetup setup = ReplaySetup.pytorch(input, config, version, circumstances);
    try {
      ServedBlocks served = new ServedBlocks();
      Supplier<Addresses> replayed = ParallelTasks.beside(() -> replay(setup, input, served));
      Iterations iterations = iterationsOption.find(new IterationFinder(trace, device));
      Addresses addresses = replayed.get();
      LeakAnalysis analysis =
          LeakAnalysis.of(trace, device, iterations, served, warmUp == null ? -1 : warmUp);
      LeaksAnswer answer =
          new LeaksAnswer(
              input,
              addresses,
              version,
              analysis,
              deviceOptions.circumstances(input, config).maxBytes());
      return new Analysed(answer, setup.run(addresses), config.text());
    } catch (IterationException e) {
      String sentence = name + ": " + e.getMessage();
      throw e.isNameUnknown() ? Failure.usage(sentence) : new Failure(sentence, e);
    }
  }

  /** Replays with recorded addresses where there are any that hold; answers which were used. */
  private static Addresses replay(ReplaySetup setup, DeviceTrace input, ServedBlocks served) {
    if (input.recording().isPresent()
        && replay(setup, Addresses.RECORDED, served).divergedRow() < 0) {
      return Addresses.RECORDED;
    }
    replay(setup, Addresses.MODELLED, served);
    return Addresses.MODELLED;
  }

  private static RunResult replay(ReplaySetup setup, Addresses addresses, ServedBlocks served) {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      return Run.of(setup.run(addresses), served, ReplayRun.progress(setup.trace(), progress));
    }
  }
}
