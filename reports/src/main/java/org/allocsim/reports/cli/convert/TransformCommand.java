package org.allocsim.reports.cli.convert;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.IterationsOption;
import org.allocsim.reports.cli.option.PlainOutputs;
import org.allocsim.reports.cli.option.PositiveConverter;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.recording.TransformQuestion;
import org.allocsim.workloads.io.Compression;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim transform}: makes one program out of another. */
@Command(
    name = "transform",
    description = "Derives a program from a trace, or merges several traces into one.")
public final class TransformCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", arity = "1..*")
  private List<String> names;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private ChangeOptions change;

  @Option(names = "--other", paramLabel = "TRACE")
  private String otherName;

  @Option(names = "--other-scale", paramLabel = "G", converter = PositiveConverter.class)
  private Double otherScale;

  @Mixin private IterationsOption iterationsOption;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true)
  private String outputName;

  @Option(names = "--format", paramLabel = "ID")
  private String format;

  @Override
  public Integer call() throws IOException {
    requireConsistent();
    List<AskedTrace> traces = names.stream().map(this::trace).toList();
    TransformQuestion question =
        new TransformQuestion(
            change.scale() == null
                ? change.change()
                : new TransformQuestion.Scaled(change.scale(), trace(otherName), otherScale),
            iterationsOption::find,
            outputName);
    return new Asking(new PlainOutputs(spec), format, Conditions.RECORDED)
        .askAbout(question, traces);
  }

  private AskedTrace trace(String name) {
    return AskedTrace.ofName(name, format, Conditions.RECORDED);
  }

  private void requireConsistent() {
    if (names.size() > 1 && !change.merges()) {
      throw Failure.usage("several traces need --merge; add it or name one trace");
    }
    if (names.size() == 1 && change.merges()) {
      throw Failure.usage("--merge needs at least two traces; name more");
    }
    boolean scales = change.scale() != null;
    if (scales != (otherName != null) || scales != (otherScale != null)) {
      throw Failure.usage(
          "a trace does not show which sizes depend on its batch: give --scale-batch, --other with"
              + " another run and --other-scale with its batch size together, or use 'allocsim fit"
              + " --batch' to predict peaks from two or more runs");
    }
    String plain = Compression.plainName(outputName);
    if (!outputName.equals("-") && !plain.endsWith(".jsonl")) {
      throw Failure.usage(
          "--output "
              + outputName
              + ": transform writes JSON Lines; name a .jsonl file, or use convert for other"
              + " formats");
    }
  }
}
