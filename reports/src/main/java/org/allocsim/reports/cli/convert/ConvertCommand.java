package org.allocsim.reports.cli.convert;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.WrittenFormat;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceWriter;
import org.allocsim.workloads.format.pytorch.RecordedWriter;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.source.DeviceTrace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim convert}: a trace in another format. */
@Command(
    name = "convert",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes the requests of a trace in another format.",
      "",
      "A snapshot in JSON Lines keeps its recording, of all devices: every command answers as for",
      "the snapshot itself, for the device that was chosen here where none is named. Says what the",
      "other format cannot hold. The format follows from the name: .jsonl, .csv and",
      "so on, also with .gz, .xz or .zst after it; --to chooses where a name does not say it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim convert snapshot.pickle -o trace.jsonl.zst",
      "  allocsim convert trace.jsonl --to rmm-csv -o log.csv"
    })
public final class ConvertCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = TraceOptions.TRACE)
  private String name;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "File to write; - is standard output, not compressed.")
  private String outputName;

  @Option(
      names = "--to",
      paramLabel = "ID",
      description = "Format to write; 'allocsim list formats' shows which can be written.")
  private String to;

  @Mixin private TraceOptions traceOptions;

  @Mixin private TorchVersionOption torchVersion;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(name);
    TraceFormat target = WrittenFormat.of(outputName, to);
    TraceWriter writer = target.writer().orElseThrow();
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output output = outputs.open("--output", outputName, file);
      DeviceTrace input =
          traceOptions.open(name, Conditions.RECORDED.by(torchVersion.given())).input();
      List<String> losses = losses(writer, input);
      try (OutputStream stream =
          Compression.ofName(outputName)
              .encode(new BufferedOutputStream(output.stream(), 1 << 16))) {
        write(writer, input, stream);
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        WrappedText.printLine(
            out,
            outputName
                + ": "
                + Numbers.count(rows(input), "request")
                + " of device "
                + input.device()
                + " as "
                + target.id()
                + (losses.isEmpty() ? ", nothing is lost" : "; lost:"));
        losses.forEach(loss -> WrappedText.printItem(out, "  ", loss));
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private static List<String> losses(TraceWriter writer, DeviceTrace input) {
    List<String> losses = new ArrayList<>(writer.losses(input.trace(), input.device()));
    input
        .recording()
        .filter(_ -> !(writer instanceof RecordedWriter))
        .ifPresent(recording ->
            losses.add(
                "what the recorded allocator did ("
                    + Numbers.count(recording.effects(input.device()).count(), "event")
                    + "), its settings and the memory at the end"));
    return losses;
  }

  /** A recording goes along where the format holds one. */
  private static void write(TraceWriter writer, DeviceTrace input, OutputStream stream)
      throws IOException {
    if (writer instanceof RecordedWriter recorded && input.recording().isPresent()) {
      recorded.write(input.trace(), input.device(), input.recording().get().snapshot(), stream);
    } else {
      writer.write(input.trace(), input.device(), stream);
    }
  }

  private static long rows(DeviceTrace input) {
    long rows = 0;
    for (int event = 0; event < input.trace().eventCount(); event++) {
      if (input.trace().device(event) == input.device()) {
        rows++;
      }
    }
    return rows;
  }
}
