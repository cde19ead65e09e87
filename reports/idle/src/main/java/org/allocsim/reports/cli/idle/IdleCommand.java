package org.allocsim.reports.cli.idle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.allocsim.analysis.idle.Change;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.Prediction;
import org.allocsim.analysis.idle.WhatIf;
import org.allocsim.reports.answer.idle.IdleAnswer;
import org.allocsim.reports.answer.idle.IdleRanksAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.workloads.format.TraceFormatException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (workers < 0 || workers > Change.MAX_WORKERS) {
      throw Failure.usage("--workers " + workers + " must be from 0 to " + Change.MAX_WORKERS);
    }
    List<Change> asked = new ArrayList<>();
    for (String change : changes) {
      try {
        asked.add(Change.parse(change));
      } catch (IllegalArgumentException e) {
        throw Failure.usage("--what-if: " + e.getMessage());
      }
    }
    List<Path> profiles = profiles();
    if (profiles.size() > 1 && !asked.isEmpty()) {
      throw Failure.usage("--what-if takes one profile, and there are " + profiles.size());
    }
    try (DocumentOutputs outputs = outputOptions.open(files.toArray(Path[]::new))) {
      if (profiles.size() == 1) {
        outputs.write(answer(profiles.getFirst(), asked).document());
      } else {
        outputs.write(ranks(profiles).document());
      }
    }
    return ExitCodes.DONE;
  }

  /** The files, and those of the folders, that have the names of profiles. */
  private List<Path> profiles() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path file : files) {
      if (!Files.isDirectory(file)) {
        found.add(file);
        continue;
      }
      int before = found.size();
      try (Stream<Path> inside = Files.list(file)) {
        inside
            .filter(each -> each.getFileName().toString().matches(".*\\.json(\\.(gz|xz|zst))?"))
            .sorted()
            .forEach(found::add);
      }
      if (found.size() == before) {
        throw new Failure(
            file + ": no profile in it; their names end in .json, .json.gz, .json.xz or .json.zst");
      }
    }
    return found;
  }

  private IdleAnswer answer(Path file, List<Change> asked) {
    IdleAnalysis analysis = read(file);
    WhatIf whatIf = new WhatIf(analysis, workers);
    List<Prediction> predictions = new ArrayList<>();
    if (asked.isEmpty()) {
      predictions.addAll(whatIf.predictAll());
    }
    for (Change change : asked) {
      try {
        predictions.add(whatIf.predict(change));
      } catch (IllegalArgumentException e) {
        throw Failure.usage("--what-if " + e.getMessage());
      }
    }
    return new IdleAnswer(
        analysis.result(),
        whatIf.recorded(),
        whatIf.unprofiled(),
        whatIf.errorNanos(),
        predictions);
  }

  private IdleRanksAnswer ranks(List<Path> profiles) {
    List<IdleResult> results = new ArrayList<>();
    for (Path profile : profiles) {
      results.add(read(profile).result());
    }
    return new IdleRanksAnswer(
        files.size() == 1 ? files.getFirst().toString() : files.size() + " profiles", results);
  }

  private static IdleAnalysis read(Path file) {
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
      return IdleAnalysis.read(file, progress::update);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }
}
