package org.allocsim.reports.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.text.Numbers;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceWriter;
import org.allocsim.workloads.io.Compression;
import picocli.CommandLine.Command;
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
      "Says what the other format cannot hold. The format follows from the name: .jsonl, .csv and",
      "so on, also with .gz, .xz or .zst behind it; --to chooses where a name does not tell."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim convert snapshot.pickle -o trace.jsonl.zst",
      "  allocsim convert trace.jsonl --to rmm-csv -o log.csv"
    })
final class ConvertCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "A trace of any format.")
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

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the trace (default: recognised by content).")
  private String format;

  @Option(
      names = "--device-index",
      paramLabel = "N",
      description = "Which GPU's requests to write (default: the first one that did anything).")
  private Integer deviceIndex;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Path file = Inputs.require(name);
    TraceFormat target = WrittenFormat.of(outputName, to);
    TraceWriter writer = target.writer().orElseThrow();
    try (Outputs outputs = new Outputs(out)) {
      Outputs.Output output = outputs.open("--output", outputName, file);
      TraceInput input = TraceInput.read(name, format, PyTorchVersion.DEFAULT, deviceIndex);
      List<String> losses = writer.losses(input.trace(), input.device());
      try (OutputStream stream =
          Compression.ofName(outputName)
              .encode(new BufferedOutputStream(output.stream(), 1 << 16))) {
        writer.write(input.trace(), input.device(), stream);
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

  private static long rows(TraceInput input) {
    long rows = 0;
    for (int event = 0; event < input.trace().eventCount(); event++) {
      if (input.trace().device(event) == input.device()) {
        rows++;
      }
    }
    return rows;
  }
}
