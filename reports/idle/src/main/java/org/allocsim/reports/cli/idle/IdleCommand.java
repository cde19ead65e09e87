package org.allocsim.reports.cli.idle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.idle.IdleQuestion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code allocsim idle}: why the GPU of a profile is idle, and what would change it. */
@Command(
    name = "idle",
    description = "Shows why the GPU is idle during a step, and predicts what would change it.")
public final class IdleCommand implements Callable<Integer> {
  @Parameters(paramLabel = "PROFILE", arity = "1..*")
  private List<Path> files = new ArrayList<>();

  @Option(names = "--what-if", paramLabel = "CHANGE,...")
  private List<String> changes = new ArrayList<>();

  @Option(names = "--workers", paramLabel = "N")
  private int workers;

  @Option(names = "--memory", paramLabel = "SNAPSHOT")
  private @Nullable Path memory;

  @Option(names = "--other-batch", paramLabel = "RATIO=PROFILE")
  private @Nullable String otherBatch;

  @Option(names = "--charts", paramLabel = "DIR")
  private @Nullable String charts;

  @Mixin private FigureOptions outputOptions;

  private static long size(String text) {
    try {
      return new SizeConverter().convert(text);
    } catch (TypeConversionException e) {
      throw new IllegalArgumentException("limit=" + text + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(charts != null, "--charts DIR, or omit it");
    if (outputOptions.isByEvent()) {
      throw Failure.usage("--figure: axis=event does not apply to charts of time; omit it");
    }
    IdleQuestion question =
        IdleQuestion.of(changes, workers, memory, otherBatch, IdleCommand::size);
    List<Path> inputs = new ArrayList<>(files);
    if (memory != null) {
      inputs.add(memory);
    }
    if (question.otherBatch() != null) {
      inputs.add(question.otherBatch().profile());
    }
    try (DocumentOutputs outputs = outputOptions.open(inputs.toArray(Path[]::new))) {
      question.ask(files, outputs, charts);
    }
    return ExitCodes.DONE;
  }
}
