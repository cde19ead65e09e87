package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.compare.ViewAnswer;
import org.allocsim.reports.answer.compare.ViewedTrace;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.workloads.source.DeviceTrace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim view}: a page to look into runs with. */
@Command(
    name = "view",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes a page that shows recorded runs in a browser, without a network.",
      "",
      "The page has memory over time, stacked by category, stack or allocation; segments and"
          + " blocks",
      "at any moment; a flame graph of their stacks; all events, with search by address, size,"
          + " stack",
      "and stream. Its address keeps what is shown. Of several files, or a folder with one file"
          + " for",
      "each rank, it shows one after the other and names those with the most and the least memory;",
      "of a snapshot of several GPUs, each GPU."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim view snapshot.pickle",
      "  allocsim view ranks/ --report job",
      "  allocsim view snapshot.pickle --confs ';expandable_segments:True'"
    })
final class ViewCommand implements Callable<Integer> {
  private static final String POLICY = "pytorch";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "Traces of any format, or folders of them.")
  private List<String> names;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      defaultValue = "view",
      description =
          "Folder that gets view.html, and its figures as JSON and CSV (default:"
              + " ${DEFAULT-VALUE}).")
  private String report;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the figures as JSON; - is standard output.")
  private String json;

  @Mixin private ConfListOptions confOptions;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Override
  public Integer call() throws IOException {
    List<String> files = expanded();
    try (DocumentOutputs outputs =
        new DocumentOutputs(
            spec.commandLine().getOut(), false, files.stream().map(Traces::file).toList(), null)) {
      outputs.open(spec.name(), json, null, report);
      List<ComparedTrace> traces = new ArrayList<>();
      List<TraceRecording> recordings = new ArrayList<>();
      for (String file : files) {
        List<DeviceTrace> devices = traceOptions.readAll(file, deviceOptions.release());
        for (DeviceTrace device : devices) {
          String name = devices.size() == 1 ? file : file + ", GPU " + device.device();
          traces.add(run(device, name, recordings));
        }
      }
      outputs.write(
          ViewAnswer.document(new CompareAnswer(deviceOptions.torchVersion(), traces)), recordings);
    }
    return ExitCodes.DONE;
  }

  /** The files, with those of folders in the order in which people sort names. */
  private List<String> expanded() {
    List<String> files = new ArrayList<>();
    for (String name : names) {
      if (Jobs.isFolder(name)) {
        Jobs.recordings(name).stream().map(Path::toString).forEach(files::add);
      } else {
        files.add(name);
      }
    }
    return files;
  }

  private ComparedTrace run(DeviceTrace input, String name, List<TraceRecording> recordings) {
    List<PolicyChoice> choices =
        confOptions
            .expand(
                PolicyChoice.parseList(POLICY),
                input.conf(),
                null,
                deviceOptions.torchVersion(),
                deviceOptions.profile())
            .stream()
            // The recorded settings come first; others are shown where they are asked for.
            .limit(confOptions.given() == null ? 1 : Long.MAX_VALUE)
            .toList();
    RecordedCircumstances circumstances =
        deviceOptions.circumstances(
            input, Settings.parse("", deviceOptions.torchVersion(), Scenario.PYTORCH));
    ViewedTrace viewed = ViewedTrace.of(input, circumstances, choices);
    viewed.recording().rename(name);
    viewed.recording().pack();
    recordings.add(viewed.recording());
    return viewed.compared();
  }
}
