package org.allocsim.reports.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.allocsim.analysis.advice.RemedySearch;
import org.allocsim.analysis.advice.Trial;
import org.allocsim.analysis.advice.Trials;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.input.TrialsFile;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.advice.AdviseQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim advise}: which change makes this program fit? */
@Command(
    name = "advise",
    customSynopsis = {
      "allocsim advise [OPTIONS] -- PROGRAM...",
      "allocsim advise [OPTIONS] TRIALS"
    },
    description = "Tells you, without a GPU, which change makes a PyTorch program fit.")
public final class AdviseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "TRIALS",
      description = "The trials.json of a folder that 'allocsim advise' wrote.")
  private String name;

  @Option(
      names = "--recorded",
      paramLabel = "RECORDING",
      description =
          "Compare with a recording of the changed program on a GPU: of the run that is"
              + " recommended, or of the remedies of --as.")
  private String recording;

  @Option(
      names = "--as",
      split = ",",
      paramLabel = "NAME",
      description = "The remedies that the recorded program has; none for the program as it is.")
  private List<String> remedies;

  @Option(
      names = "--next",
      hidden = true,
      description = "Print which runs come next, as JSON, and answer nothing.")
  private boolean asksForNext;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    Path file = Inputs.require(name);
    Trials trials = TrialsFile.read(file);
    if (asksForNext) {
      PrintWriter out = spec.commandLine().getOut();
      List<String> kept = bestOrLeast(trials).map(Trials.Done::remedies).orElse(List.of());
      List<List<String>> combinations = new RemedySearch(trials).next();
      out.println(JsonText.line(Map.of("combinations", combinations, "kept", kept)));
      out.flush();
      return ExitCodes.DONE;
    }
    List<AskedTrace> traces = new ArrayList<>(recordings(file, trials));
    if (recording != null) {
      traces.add(AskedTrace.ofName(recording, null, Conditions.RECORDED));
    }
    return new Asking(outputOptions, null, Conditions.RECORDED)
        .beside(file)
        .askAbout(new AdviseQuestion(trials, recording == null ? null : predicted(trials)), traces);
  }

  /** The run that the recorded one is compared with. */
  private Trials.Done predicted(Trials trials) {
    if (remedies == null) {
      return bestOrLeast(trials)
          .orElseThrow(
              () -> new Failure(name + ": no run was complete; there is nothing to check"));
    }
    List<String> names = remedies.stream().filter(each -> !each.equals("none")).toList();
    return trials
        .with(names)
        .flatMap(Trials::done)
        .orElseThrow(() ->
            Failure.usage(
                "--as %s: no run had these remedies; name those of a row, or none"
                    .formatted(String.join(",", remedies))));
  }

  /**
   * The recordings of the program as it is and of the run that is recommended, or reserves least.
   */
  private static List<AskedTrace> recordings(Path file, Trials trials) {
    List<AskedTrace> found =
        Stream.concat(
                trials.baseline().stream(), bestOrLeast(trials).map(Trials.Done::trial).stream())
            .distinct()
            .map(Trial::file)
            .filter(Objects::nonNull)
            .map(each -> file.resolveSibling(each))
            .filter(Files::isRegularFile)
            .map(each -> AskedTrace.ofName(each.toString(), null, Conditions.RECORDED))
            .toList();
    return found.size() == 2 ? found : List.of();
  }

  /** The run that is recommended; where none fits, the one that reserves least. */
  private static Optional<Trials.Done> bestOrLeast(Trials trials) {
    RemedySearch search = new RemedySearch(trials);
    return search.best().or(search::least);
  }
}
