package org.allocsim.reports.question.idle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.replay.BatchFit;
import org.allocsim.analysis.idle.replay.Change;
import org.allocsim.analysis.idle.replay.Prediction;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.idle.IdleAnswer;
import org.allocsim.reports.answer.idle.IdleFigures;
import org.allocsim.reports.answer.idle.IdleRanksAnswer;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Why the GPUs of profiles are idle, and what would change it.
 *
 * @param changes what to predict; those that apply where it is empty
 * @param workers workers of the data loader in the recording; 0 where that is unknown
 * @param memory a memory snapshot of the same run; null for none
 * @param otherBatch the same program with another batch; null for none
 */
public record IdleQuestion(
    List<Change> changes, int workers, @Nullable Path memory, @Nullable OtherBatch otherBatch) {
  /**
   * Another recording of a program.
   *
   * @param factor how many times as large its batch is
   * @param profile the recording
   */
  public record OtherBatch(double factor, Path profile) {
    static OtherBatch of(String text) {
      int equals = text.indexOf('=');
      if (equals < 1 || equals == text.length() - 1) {
        throw Failure.usage(
            "--other-batch " + text + " is not RATIO=PROFILE, such as 0.5x=half.json.gz");
      }
      try {
        double factor = Change.factor("--other-batch", text.substring(0, equals));
        if (factor == 1) {
          throw Failure.usage("--other-batch " + text + " has the same batch; give another one");
        }
        return new OtherBatch(factor, Path.of(text.substring(equals + 1)));
      } catch (InvalidPathException _) {
        throw Failure.usage("--other-batch " + text + " names no file; check the path");
      } catch (IllegalArgumentException e) {
        throw Failure.usage(e.getMessage());
      }
    }

    /**
     * What both recordings say of other batches.
     *
     * @throws Failure where they are not of one program with two batches
     */
    BatchFit fit(Path file, IdleAnalysis analysis) throws IOException {
      if (Files.isSameFile(file, profile)) {
        throw Failure.usage(
            "--other-batch " + profile + " is the profile itself; give one of another batch");
      }
      BatchFit fit = new BatchFit(analysis, IdleSubject.read(profile), factor);
      if (fit.sharedRatio() < SAME_PROGRAM_RATIO) {
        throw Failure.usage(
            "--other-batch %s seems to be of another program: it shares only %s of the GPU's work of %s; give one of the same program"
                .formatted(profile, Numbers.percent(fit.sharedRatio()), file));
      }
      return fit;
    }
  }

  /**
   * Recordings of one program with two batches shared all of the GPU's work in seven pairs, those
   * of two convolutional networks up to 90 % (H200, PyTorch 2.11).
   */
  private static final double SAME_PROGRAM_RATIO = 0.95;

  private static final String CHARTS = "--charts";

  /** Keeps its own copy. */
  public IdleQuestion {
    changes = List.copyOf(changes);
  }

  /**
   * The question as it is typed.
   *
   * @param size reads a size; throws an IllegalArgumentException whose message is for users
   * @throws Failure where it cannot be asked
   */
  public static IdleQuestion of(
      List<String> changes,
      int workers,
      @Nullable Path memory,
      @Nullable String otherBatch,
      ToLongFunction<String> size) {
    if (workers < 0 || workers > Change.MAX_WORKERS) {
      throw Failure.usage("--workers " + workers + " must be from 0 to " + Change.MAX_WORKERS);
    }
    List<Change> parsed = new ArrayList<>();
    for (String change : changes) {
      try {
        parsed.add(Change.parse(change, size));
      } catch (IllegalArgumentException e) {
        throw Failure.usage("--what-if: " + e.getMessage());
      }
    }
    return new IdleQuestion(
        parsed, workers, memory, otherBatch == null ? null : OtherBatch.of(otherBatch));
  }

  /**
   * Answers about one profile, or about several ranks.
   *
   * @param files profiles, and folders of them
   * @param charts name of the folder that gets charts; null for none
   */
  public void ask(List<Path> files, DocumentOutputs outputs, @Nullable String charts)
      throws IOException {
    List<Path> profiles = profiles(files);
    ChartFolder folder = outputs.charts(CHARTS, charts);
    List<ChartFolder> folders =
        Stream.of(folder, outputs.charts()).filter(Objects::nonNull).toList();
    boolean isDrawn = outputs.hasPage() && ChartFonts.areAvailable();
    if (profiles.size() == 1) {
      answer(profiles.getFirst(), outputs, folders, isDrawn);
      return;
    }
    if (!changes.isEmpty()) {
      throw Failure.usage("--what-if takes one profile, and there are " + profiles.size());
    }
    if (memory != null) {
      throw Failure.usage("--memory takes one profile, and there are " + profiles.size());
    }
    if (otherBatch != null) {
      throw Failure.usage("--other-batch takes one profile, and there are " + profiles.size());
    }
    List<IdleResult> results = new ArrayList<>();
    for (Path profile : profiles) {
      results.add(IdleSubject.read(profile).result());
    }
    String title = files.size() == 1 ? files.getFirst().toString() : files.size() + " profiles";
    IdleRanksAnswer answer = new IdleRanksAnswer(title, results);
    for (ChartFolder each : folders) {
      answer.draw(each);
    }
    outputs.write(answer.document(isDrawn));
  }

  /** The files, and those of the folders, that have the names of profiles. */
  private static List<Path> profiles(List<Path> files) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path file : files) {
      if (!Files.isDirectory(file)) {
        found.add(file);
        continue;
      }
      int before = found.size();
      try (Stream<Path> inside = Files.list(file)) {
        inside
            .filter(each ->
                each.getFileName().toString().matches(".*\\.(json|sqlite)(\\.(gz|xz|zst))?"))
            .sorted()
            .forEach(found::add);
      }
      if (found.size() == before) {
        throw new Failure(
            file
                + ": no profile in it; name a folder of files that end in .json or .sqlite, also"
                + " with .gz, .xz or .zst");
      }
    }
    return found;
  }

  private void answer(
      Path file, DocumentOutputs outputs, List<ChartFolder> folders, boolean isDrawn)
      throws IOException {
    IdleSubject subject = memory == null ? IdleSubject.of(file) : IdleSubject.joined(file, memory);
    IdleAnalysis analysis = subject.analysis();
    BatchFit batches = otherBatch == null ? null : otherBatch.fit(file, analysis);
    WhatIf whatIf = new WhatIf(analysis, workers, subject.allocator(), batches);
    List<Prediction> predictions = new ArrayList<>();
    if (changes.isEmpty()) {
      predictions.addAll(whatIf.predictAll());
    }
    for (Change change : changes) {
      try {
        predictions.add(whatIf.predict(change));
      } catch (IllegalArgumentException e) {
        throw Failure.usage("--what-if " + e.getMessage());
      }
    }
    IdleFigures figures =
        isDrawn || !folders.isEmpty() ? new IdleFigures(analysis, whatIf, predictions) : null;
    for (ChartFolder each : folders) {
      Objects.requireNonNull(figures).draw(each);
    }
    IdleAnswer answer =
        new IdleAnswer(
            analysis.result(),
            whatIf.recorded(),
            whatIf.unprofiled(),
            whatIf.errorNanos(),
            predictions,
            whatIf.modelledMemory(),
            subject.unreadMemory(),
            whatIf.loader(),
            subject.memory());
    outputs.write(answer.document(isDrawn ? figures : null));
  }
}
