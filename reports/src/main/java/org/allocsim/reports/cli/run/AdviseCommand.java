package org.allocsim.reports.cli.run;

import java.io.IOException;
import java.util.List;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.TrialsFile;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.advice.AdviseQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim advise}: which change makes this program fit? */
@Command(
    name = "advise",
    customSynopsis = {
      "allocsim advise [OPTIONS] -- PROGRAM...",
      "allocsim advise [OPTIONS] TRIALS"
    },
    description = "Tells you, without a GPU, which change makes a PyTorch program fit.")
public final class AdviseCommand extends PythonCommand {
  @Parameters(arity = "0..1", paramLabel = "TRIALS")
  private String name;

  @Option(names = "--recorded", paramLabel = "RECORDING")
  private String recording;

  @Option(names = "--as", split = ",", paramLabel = "NAME")
  private List<String> remedies;

  @Option(names = "--next")
  private boolean asksForNext;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (name == null || !name.endsWith(".json")) {
      throw needsPython();
    }
    if (!others().isEmpty()) {
      throw Failure.usage("advise with a file does not accept " + others().getFirst());
    }
    TrialsFile file = TrialsFile.open(name);
    if (asksForNext) {
      spec.commandLine().getOut().println(file.next());
      return ExitCodes.DONE;
    }
    return new Asking(outputOptions, null, Conditions.RECORDED)
        .beside(file.file())
        .ask(
            new AdviseQuestion(file.trials(), recording == null ? null : file.predicted(remedies)),
            file.recordings(recording));
  }
}
