package org.allocsim.reports.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.MemoryTimelineChart;
import org.allocsim.reports.json.JsonText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.ConfigParser;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.simulator.stats.MemorySummary;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim replay}: one policy on one recorded program. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays a recorded program on one allocator and shows what it did: memory summary,",
      "out-of-memory messages, fragmentation.",
      "",
      "With the recorded settings, addresses and refusals come from the recording; with other",
      "settings, another device or a capacity, from the simulated device."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim replay snapshot.pickle",
      "  allocsim replay snapshot.pickle.xz --memory-fraction 0.9 --chart memory.svg",
      "  allocsim replay snapshot.pickle --conf expandable_segments:True --capacity 24GiB",
      "  allocsim replay snapshot.pickle --events - | head"
    })
final class ReplayCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = "Snapshot of a PyTorch program.")
  private String traceName;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      description = "Allocator; 'allocsim list policies' shows them (default: pytorch).",
      converter = PolicyConverter.class)
  private Policy policy = Policy.PYTORCH;

  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description = "PYTORCH_CUDA_ALLOC_CONF to replay under (default: the recorded one).")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--addresses",
      paramLabel = "recorded|modelled",
      description = {
        "Where addresses and refusals come from (default: recorded with the recorded settings",
        "and device, else modelled)."
      })
  private Addresses addresses;

  @Option(
      names = "--device-index",
      paramLabel = "N",
      description = "Which recorded GPU to replay (default: the first one that did anything).")
  private Integer deviceIndex;

  @Option(
      names = "--check",
      description = "Check the allocator's invariants after every event; slow.")
  private boolean check;

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = "Write every effect as a line of JSON; - is standard output.")
  private String eventsName;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results as JSON; - is standard output.")
  private String jsonName;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Draw memory over time as .png or .svg.")
  private String chartName;

  @Override
  public Integer call() throws IOException {
    ChartFile chartFormat = chartFormat();
    PrintWriter out = spec.commandLine().getOut();
    Path file = Inputs.require(traceName);
    ParsedConfig given = conf == null ? null : parse("--conf", conf);
    long limitBytes = deviceOptions.limitBytes();
    try (Outputs outputs = new Outputs(out)) {
      Outputs.Output events = open(outputs, "--events", eventsName, file);
      Outputs.Output json = open(outputs, "--json", jsonName, file);
      Outputs.Output chart = open(outputs, "--chart", chartName, file);
      Recording recording = Recordings.read(file, traceName, deviceOptions);
      ParsedConfig config =
          given != null ? given : parse(traceName + ": recorded settings", recording.conf());
      int device = Recordings.device(recording, traceName, deviceIndex);
      long startNanos = System.nanoTime();
      ReplayRun.Setup setup =
          new ReplayRun.Setup(
              recording,
              device,
              config.allocator(),
              deviceOptions.torchVersion(),
              deviceOptions.profile(),
              limitBytes);
      Addresses source = addresses(recording);
      ReplayRun run = run(setup, source, events);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      ReplayReport report = report(setup, config, source, run, seconds);
      if (json != null) {
        JsonText.write(report.toMap(), json.stream());
      }
      if (chart != null) {
        draw(report, run, chartFormat, chart);
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        ReplayText.print(report, out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private ChartFile chartFormat() {
    if (chartName == null) {
      return null;
    }
    return ChartFile.ofName(chartName)
        .orElseThrow(
            () ->
                Failure.usage(
                    "--chart " + chartName + " names no format; end the name in .png or .svg"));
  }

  private static Outputs.Output open(Outputs outputs, String option, String name, Path input) {
    return name == null ? null : outputs.open(option, name, input);
  }

  private ParsedConfig parse(String place, String text) {
    try {
      return ConfigParser.parse(text, deviceOptions.torchVersion());
    } catch (ConfigException e) {
      throw Failure.usage(
          place + " \"" + text + "\": PyTorch refuses it with " + e.errorType() + ": "
              + e.getMessage());
    }
  }

  /** Recorded answers fit the recorded settings on the recorded device only. */
  private Addresses addresses(Recording recording) {
    if (addresses != null) {
      return addresses;
    }
    boolean asRecorded =
        (conf == null || conf.equals(recording.conf())) && !deviceOptions.isDeviceGiven();
    return asRecorded ? Addresses.RECORDED : Addresses.MODELLED;
  }

  private ReplayRun run(ReplayRun.Setup setup, Addresses source, Outputs.Output events)
      throws IOException {
    ReplayRun run = new ReplayRun(setup);
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying");
        OutputStream stream = events == null ? null : new BufferedOutputStream(events.stream());
        EventLines lines =
            stream == null ? null : new EventLines(stream, setup.recording().trace())) {
      EffectListener also = lines == null ? EffectListeners.NONE : lines;
      if (source == Addresses.RECORDED) {
        run.onRecordedDevice(also, progress);
      } else {
        run.onSimulatedDevice(also, progress);
      }
    }
    return run;
  }

  private ReplayReport report(
      ReplayRun.Setup setup,
      ParsedConfig config,
      Addresses source,
      ReplayRun run,
      double seconds) {
    Recording recording = setup.recording();
    DeviceProfile profile = setup.profile();
    int device = setup.deviceIndex();
    List<String> remarks = new ArrayList<>(recording.notes());
    remarks.addAll(recording.inferences(device));
    remarks.addAll(config.warnings());
    return new ReplayReport(
        traceName,
        recording.sha256(),
        recording.effects(device).count(),
        run.failures().requestCount(),
        recording.settings(),
        policy.id(),
        setup.version().id(),
        config.text(),
        profile.name(),
        device,
        profile.totalBytes(),
        setup.limitBytes(),
        source,
        run.stats().toMap(),
        MemorySummary.format(run.stats(), device, false),
        run.fragmentation(),
        run.failures().ooms(),
        run.driverCalls(),
        run.driverNanos(),
        seconds,
        remarks);
  }

  private static void draw(
      ReplayReport report, ReplayRun run, ChartFile format, Outputs.Output target)
      throws IOException {
    MemoryTimelineChart.Bound bound =
        report.limitBytes() >= 0
            ? new MemoryTimelineChart.Bound("limit", report.limitBytes())
            : new MemoryTimelineChart.Bound("device memory", report.deviceBytes());
    String subtitle =
        Path.of(report.file()).getFileName()
            + ", policy "
            + report.policy()
            + " "
            + report.torchVersion()
            + ", PYTORCH_CUDA_ALLOC_CONF=\""
            + report.conf()
            + "\", device "
            + report.device()
            + ", addresses "
            + report.addresses();
    try (OutputStream out = new BufferedOutputStream(target.stream())) {
      format.write(
          MemoryTimelineChart.create("GPU memory over time", subtitle, run.timeline(), bound),
          MemoryTimelineChart.WIDTH,
          MemoryTimelineChart.HEIGHT,
          out);
    }
  }
}
