package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.json.SavedStats;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.recording.VerifyQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim verify}: is the simulation event-exact on these recordings? */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Checks that the simulation repeats recordings exactly.",
      "Replays each snapshot and compares every event with the recorded one (action, address,"
          + " size,",
      "stream), then the segments and blocks at the end. The exit code is 3 if any differs."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim verify snapshot.pickle",
      "  allocsim verify snapshot.pickle --memory-fraction 0.9 --stats stats.json",
      "  allocsim verify *.pickle --json verdict.json",
      "  allocsim verify ranks/",
      "",
      "stats.json comes from the recorded program:",
      "  json.dump(torch.cuda.memory_stats(), open(\"stats.json\", \"w\"))"
    })
public final class VerifyCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "SNAPSHOT",
      arity = "1..*",
      description = "Snapshots to verify, or a folder with one for each rank of a job.")
  private List<String> names;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--stats",
      paramLabel = "FILE",
      description =
          "Compare the statistics at the end with these: torch.cuda.memory_stats() saved as JSON,"
              + " flat or under the key \"stats\". Goes with one snapshot; applies to its first"
              + " device.")
  private String statsName;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (statsName != null && names.size() > 1) {
      throw Failure.usage("--stats goes with one snapshot; verify the others without it");
    }
    if (statsName != null && Jobs.isFolder(names.getFirst())) {
      throw VerifyQuestion.refusedForJob("--stats");
    }
    SortedMap<String, Long> stats = statsName == null ? new TreeMap<>() : readStats();
    return new Asking(outputOptions, null, deviceOptions.conditions())
        .tolerant()
        .ask(new VerifyQuestion(stats, outputOptions.err()), names);
  }

  private SortedMap<String, Long> readStats() {
    Path file = Inputs.require(statsName);
    try (InputStream stream = Files.newInputStream(file)) {
      return SavedStats.read(stream);
    } catch (IOException e) {
      throw new Failure(
          "%s: %s; save torch.cuda.memory_stats() with json.dump() and give that file"
              .formatted(statsName, e.getMessage()),
          e);
    }
  }
}
