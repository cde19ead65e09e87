package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.LogInput;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim explain-oom}: why did the request of an out-of-memory message fail? */
@Command(
    name = "explain-oom",
    description = "Explains out-of-memory messages: verdict, arithmetic and remedies.")
public final class ExplainOomCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "0..1", defaultValue = LogInput.STANDARD_INPUT)
  private String name;

  @Option(names = "--conf", paramLabel = "CONF")
  private String conf;

  @Option(names = "--show", paramLabel = "N", defaultValue = "10")
  private int show;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (show < 1) {
      throw Failure.usage("--show " + show + " must be at least 1");
    }
    LogInput log = LogInput.of(name);
    try (DocumentOutputs outputs = outputOptions.open(log.file())) {
      ExplainOomAnswer answer =
          ExplainOomAnswer.of(log.label(), log.read(spec.commandLine().getErr()), conf);
      outputs.write(answer.document(show));
      return answer.exitCode();
    }
  }
}
