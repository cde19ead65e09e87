package org.allocsim.reports.answer.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.allocsim.analysis.tuning.LintFinding;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.SettingsComparison;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Findings;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * What is to be known about a configuration string.
 *
 * @param variable the environment variable that takes it
 * @param conf the string
 * @param version the release of PyTorch whose rules apply
 * @param platform where the program is to run
 * @param findings what was found
 * @param inForce what a snapshot shows; null where none was given
 */
public record LintAnswer(
    String variable,
    String conf,
    PyTorchVersion version,
    Platform platform,
    List<LintFinding> findings,
    @Nullable InForce inForce) {
  private static final String REFUSED = "PyTorch rejects the string";

  /**
   * What of the string was in force when a snapshot was taken.
   *
   * @param file name of the snapshot as the user gave it
   * @param snapshot the snapshot
   * @param comparison null where the string itself is refused
   */
  public record InForce(String file, Snapshot snapshot, @Nullable SettingsComparison comparison) {
    private boolean agrees() {
      return comparison != null && comparison.agrees();
    }

    private <T> @Nullable T compared(Function<SettingsComparison, T> part) {
      return comparison == null ? null : part.apply(comparison);
    }
  }

  private static final Shape<SettingsComparison.Row> OPTIONS =
      Shape.of(option ->
          option
              .text("option", "option", "Its name.", SettingsComparison.Row::option)
              .text("given", "given", "Value in the string.", SettingsComparison.Row::believed)
              .text("in_force", "in force", "Recorded value.", SettingsComparison.Row::recorded)
              .text(
                  "status",
                  "status",
                  "How they compare: in_force, missing, different or unasked.",
                  each -> each.status().label().replace(' ', '_'))
              .worded(each -> each.status().label()));

  private static final Shape<InForce> IN_FORCE =
      Shape.of(snapshot ->
          snapshot
              .text("file", "Name of the snapshot, as given.", InForce::file)
              .term(Columns.SHA256, each -> each.snapshot().sha256())
              .term(Columns.RECORDED_CONF, each -> each.snapshot().settings().conf())
              .flag("agrees", "Whether the string was in force as given.", InForce::agrees)
              .many(
                  "options",
                  "Options that are set on either side.",
                  OPTIONS,
                  each -> each.compared(SettingsComparison::rows))
              .missing(REFUSED)
              .texts(
                  "contradictions",
                  "Where the snapshot contradicts itself.",
                  each -> each.compared(SettingsComparison::contradictions))
              .missing(REFUSED)
              .texts(
                  "likely_causes",
                  "Possible causes, likeliest first.",
                  each -> each.compared(SettingsComparison::causes))
              .missing(REFUSED));

  public static final Kind<LintAnswer> KIND =
      new Kind<>(
          "lint-conf",
          "lint-conf --json",
          "What `allocsim lint-conf --json` writes: findings about a configuration string.",
          Shape.of(answer ->
              answer
                  .text("variable", "Environment variable that takes it.", LintAnswer::variable)
                  .text("conf", "The string.", LintAnswer::conf)
                  .term(Columns.TORCH_VERSION, each -> each.version.id())
                  .term(Columns.OS, each -> each.platform.label())
                  .many(
                      "findings",
                      "Settings that are illegal, without effect or dangerous.",
                      Findings.SHAPE,
                      LintAnswer::findings)
                  .one(
                      "snapshot",
                      "Which parts of the string were in force when the snapshot was taken.",
                      IN_FORCE,
                      LintAnswer::inForce)
                  .missing("none was given")));

  private @Nullable SettingsComparison comparison() {
    return inForce == null ? null : inForce.comparison();
  }

  /** Whether the string does not do what it says, or was not in force. */
  public boolean isWrong() {
    return findings.stream().anyMatch(each -> each.severity() == LintFinding.Severity.ERROR)
        || (comparison() != null && comparison().lacks());
  }

  public Document<LintAnswer> document() {
    Sentence sentence =
        Sentence.of(
            "{}=\"{}\" for PyTorch {} on {}{}",
            variable,
            conf,
            version.id(),
            platform.label(),
            findings.isEmpty() ? ": nothing found" : "");
    List<Sentence> details =
        findings.stream()
            .map(each ->
                Sentence.of(
                    "{}, {}: {}", each.severity().label(), each.kind().label(), each.message()))
            .toList();
    Tone tone = isWrong() ? Tone.BAD : findings.isEmpty() ? Tone.GOOD : Tone.NEUTRAL;
    return new Document<>(
        KIND,
        variable,
        new Verdict(tone, sentence, details),
        inForceSections(),
        Table.of("Findings", Findings.SHAPE, findings),
        this);
  }

  private List<Section> inForceSections() {
    SettingsComparison comparison = comparison();
    if (inForce == null || comparison == null) {
      return List.of();
    }
    String records =
        inForce.file()
            + " records \""
            + FailureReport.oneLine(inForce.snapshot().settings().conf())
            + "\""
            + (inForce.agrees() ? ": in force as given" : "");
    List<Block> blocks = new ArrayList<>();
    blocks.add(Notes.of(null, List.of(records)));
    if (!comparison.rows().isEmpty()) {
      blocks.add(Table.of("Options", OPTIONS, comparison.rows()));
    }
    blocks.add(Notes.of("contradictions", comparison.contradictions()));
    blocks.add(Notes.of("likely causes, likeliest first", comparison.causes()));
    return List.of(new Section(null, blocks));
  }
}
