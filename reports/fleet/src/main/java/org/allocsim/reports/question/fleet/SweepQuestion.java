package org.allocsim.reports.question.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.fleet.sweep.SweepEngine;
import org.allocsim.analysis.fleet.sweep.SweepException;
import org.allocsim.analysis.fleet.sweep.SweepListener;
import org.allocsim.analysis.fleet.sweep.SweepRequest;
import org.allocsim.analysis.fleet.sweep.SweepResults;
import org.allocsim.analysis.fleet.sweep.SweepSummary;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.text.RowTable;
import org.allocsim.reports.answer.product.WrittenAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.plugin.PluginLoader;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * What do many traces come to under many settings on many GPUs?
 *
 * @param request the settings and GPUs
 * @param inputs files, folders, patterns and lists
 * @param out folder of the results
 * @param engine name of what makes the runs
 * @param master the engine's own word for where they run; null for none
 * @param threads runs at a time; 0 for one on each core
 */
public record SweepQuestion(
    SweepRequest request,
    List<String> inputs,
    String out,
    String engine,
    @Nullable String master,
    int threads)
    implements Question<SweepQuestion.Swept> {
  /**
   * What came of it.
   *
   * @param summary null where a signal ended it
   * @param ended how it ended then
   */
  public record Swept(@Nullable SweepSummary summary, String ended) {}

  @Override
  public Swept ask(Asked asked) {
    SweepEngine chosen = installed();
    asked.mayEndEarly();
    try (ProgressMeter progress = ProgressMeter.of("sweeping", "runs")) {
      SweepEngine.Options options =
          new SweepEngine.Options(
              master, threads, PluginLoader.current().map(PluginLoader::jars).orElse(List.of()));
      return new Swept(chosen.run(request, inputs, out, options, new Progress(progress)), "");
    } catch (SweepException e) {
      String sentence = String.valueOf(e.getMessage());
      if (EarlyEnd.isAsked()) {
        return new Swept(null, sentence);
      }
      throw e.isUsage() ? Failure.usage(sentence) : new Failure(sentence, e);
    }
  }

  private SweepEngine installed() {
    Optional<SweepEngine> found = SweepEngine.named(engine);
    if (found.isEmpty() && engine.equals("spark")) {
      throw new Failure(
          "--engine spark: Spark is not part of this installation; build allocsim-spark.jar with"
              + " './mvnw -Pspark -Dquick package' and run 'spark-submit"
              + " reports/spark/target/quick/allocsim-spark.jar sweep ... --engine spark'");
    }
    return found.orElseThrow(() ->
        Failure.usage(
            "--engine "
                + engine
                + " is not an engine; "
                + SimilarName.remedy(engine, List.of("local", "spark"), "choose local or spark")));
  }

  @Override
  public Document<?> document(Swept swept) {
    return WrittenAnswer.document(
        "sweep", swept.summary() == null ? List.of(swept.ended()) : lines(swept.summary()));
  }

  private List<String> lines(SweepSummary summary) {
    List<String> lines = new ArrayList<>();
    long made = summary.runs() - summary.reused();
    lines.add(
        "%s, %s: %s served every request, %s ran out of memory%s"
            .formatted(
                Numbers.count(summary.files(), "trace"),
                Numbers.count(summary.runs(), "run"),
                Numbers.count(summary.passed()),
                Numbers.count(summary.ooms()),
                summary.notRun() == 0
                    ? ""
                    : ", " + Numbers.count(summary.notRun()) + " could not be simulated"));
    if (summary.unreadable() > 0) {
      lines.add(
          Numbers.count(summary.unreadable(), "file") + " could not be read; their rows say why");
    }
    if (summary.passedOver() > 0) {
      lines.add(
          Numbers.count(summary.passedOver(), "file") + " in folders skipped: no trace extension");
    }
    lines.add(
        Numbers.count(made, "run")
            + " made"
            + (summary.reused() > 0
                ? ", " + Numbers.count(summary.reused()) + " kept from before"
                : "")
            + String.format(
                Locale.ROOT,
                " in %.1f s (%.0f a second)",
                summary.seconds(),
                made / Math.max(1e-9, summary.seconds())));
    lines.add(
        out
            + ": "
            + SweepResults.CSV
            + (summary.parquet() ? ", " + SweepResults.PARQUET : "")
            + ", "
            + SweepResults.ABOUT);
    if (!summary.parquet()) {
      lines.add("No " + SweepResults.PARQUET + ": " + RowTable.REMEDY);
    }
    return lines;
  }

  /** Fails where no file could be read, since their rows alone say why. */
  @Override
  public int exitCode(Swept swept) {
    SweepSummary summary = swept.summary();
    if (summary == null) {
      return ExitCodes.FAILED;
    }
    if (summary.files() == summary.unreadable()) {
      throw new Failure(
          "none of the files could be read; see column error of %s/%s"
              .formatted(out, SweepResults.CSV));
    }
    return ExitCodes.DONE;
  }

  /** Shows runs on the terminal. */
  private static final class Progress implements SweepListener {
    private final ProgressMeter meter;
    private long total;

    Progress(ProgressMeter meter) {
      this.meter = meter;
    }

    @Override
    public void begins(int files, long runs) {
      total = runs;
    }

    @Override
    public void finished(int files, long runs) {
      meter.update(runs, total);
    }
  }
}
