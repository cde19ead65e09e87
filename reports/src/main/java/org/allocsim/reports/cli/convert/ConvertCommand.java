package org.allocsim.reports.cli.convert;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.PlainOutputs;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.recording.ConvertQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim convert}: a trace in another format. */
@Command(name = "convert", description = "Writes the requests of a trace in another format.")
public final class ConvertCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = TraceOptions.TRACE)
  private String name;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true)
  private String outputName;

  @Option(names = "--to", paramLabel = "ID")
  private String to;

  @Mixin private TraceOptions traceOptions;

  @Mixin private TorchVersionOption torchVersion;

  @Override
  public Integer call() throws IOException {
    return traceOptions
        .asking(new PlainOutputs(spec), Conditions.RECORDED.by(torchVersion.given()))
        .ask(new ConvertQuestion(outputName, to), name);
  }
}
