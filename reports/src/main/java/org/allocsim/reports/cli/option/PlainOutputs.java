package org.allocsim.reports.cli.option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.TextForm;
import org.allocsim.reports.question.AnswerOutputs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Where a command says what it wrote: on the terminal only.
 *
 * @param command the command
 */
public record PlainOutputs(CommandSpec command) implements AnswerOutputs {
  @Override
  public DocumentOutputs open(@Nullable Path... inputs) {
    return new DocumentOutputs(
        command.commandLine().getOut(), TextForm.WHOLE, Arrays.asList(inputs), null);
  }

  @Override
  public PrintWriter err() {
    return command.commandLine().getErr();
  }
}
