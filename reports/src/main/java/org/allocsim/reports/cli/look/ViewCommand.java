package org.allocsim.reports.cli.look;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.TextForm;
import org.allocsim.reports.question.AnswerOutputs;
import org.allocsim.reports.question.replay.ViewQuestion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim view}: a page to look into runs with. */
@Command(name = "view", description = "Writes a web page that shows recorded runs; works offline.")
public final class ViewCommand implements Callable<Integer> {
  private static final String USUAL_FOLDER = "view";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*")
  private List<String> names;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE")
  private @Nullable String output;

  @Option(names = "--report", paramLabel = "DIR")
  private @Nullable String report;

  @Option(names = "--json", paramLabel = "FILE")
  private String json;

  @Mixin private ConfListOptions confOptions;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Override
  public Integer call() throws IOException {
    if (output != null && report != null) {
      throw Failure.usage("--output writes one page, --report a folder; omit one of them");
    }
    return traceOptions
        .asking(new Page(), deviceOptions.conditions())
        .ask(new ViewQuestion(confOptions.choices()), expanded());
  }

  /** The files, with those of folders in the order in which people sort names. */
  private List<String> expanded() {
    return names.stream()
        .flatMap(name ->
            Jobs.isFolder(name)
                ? Jobs.recordings(name).stream().map(Path::toString)
                : Stream.of(name))
        .toList();
  }

  /** The page comes first, so that there are fewer outputs. */
  private final class Page implements AnswerOutputs {
    @Override
    public DocumentOutputs open(@Nullable Path... inputs) {
      DocumentOutputs outputs =
          new DocumentOutputs(
              spec.commandLine().getOut(), TextForm.WHOLE, Arrays.asList(inputs), null);
      if (output != null) {
        outputs.open(spec.name(), json, null, null);
        outputs.openPage("--output", output);
      } else {
        outputs.open(spec.name(), json, null, report == null ? USUAL_FOLDER : report);
      }
      return outputs;
    }

    @Override
    public PrintWriter err() {
      return spec.commandLine().getErr();
    }
  }
}
