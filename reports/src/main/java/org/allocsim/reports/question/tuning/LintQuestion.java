package org.allocsim.reports.question.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.tuning.ConfLint;
import org.allocsim.analysis.tuning.LintFinding;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.SettingsComparison;
import org.allocsim.reports.answer.diagnosis.LintAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Question;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * Is a configuration string legal, and does it do anything? It may be asked about a snapshot, too:
 * was the string in force?
 *
 * @param conf the string; null for that of the snapshot
 * @param variable environment variable that it is set by
 * @param version release of PyTorch whose rules apply
 * @param platform where the program is to run
 * @param fraction what the program gives to set_per_process_memory_fraction(); null for nothing
 */
public record LintQuestion(
    @Nullable String conf,
    String variable,
    PyTorchVersion version,
    Platform platform,
    @Nullable Double fraction)
    implements Question<LintAnswer> {
  /**
   * The question about a string that an assignment may hold.
   *
   * @param conf the string; null where a snapshot holds it, passed over where the assignment does
   * @param assignment a variable, also with an equals sign and the string; null for the usual one
   */
  public static LintQuestion of(
      @Nullable String conf,
      @Nullable String assignment,
      PyTorchVersion version,
      Platform platform,
      @Nullable Double fraction) {
    String variable = assignment == null ? ConfLint.CUDA_VARIABLE : assignment;
    int equals = variable.indexOf('=');
    if (equals < 0) {
      return new LintQuestion(conf, variable, version, platform, fraction);
    }
    return new LintQuestion(
        variable.substring(equals + 1), variable.substring(0, equals), version, platform, fraction);
  }

  @Override
  public LintAnswer ask(Asked asked) {
    Snapshot snapshot = asked.traces().isEmpty() ? null : snapshot(asked.trace());
    String text =
        conf != null ? conf : Objects.requireNonNull(snapshot, "no string").settings().conf();
    boolean isLimited = fraction != null && (fraction < 1 || version.isFractionOneALimit());
    List<LintFinding> findings = new ArrayList<>(ConfLint.checkVariable(variable, version));
    findings.addAll(ConfLint.check(text, version, platform, isLimited));
    LintAnswer.InForce inForce =
        snapshot == null
            ? null
            : new LintAnswer.InForce(
                asked.trace().name(),
                snapshot,
                compare(text, asked.trace().name(), snapshot, findings));
    return new LintAnswer(variable, text, version, platform, findings, inForce);
  }

  private static Snapshot snapshot(AskedTrace trace) {
    Snapshot snapshot =
        trace
            .source()
            .snapshot()
            .orElseThrow(() ->
                new Failure(
                    trace.name()
                        + ": it has requests but no recorded settings to compare; omit --snapshot"
                        + " to check the value alone"));
    if (!snapshot.settings().present()) {
      throw new Failure(
          trace.name()
              + ": the snapshot has no allocator settings to compare (PyTorch records them from 2.3"
              + " on); omit --snapshot to check the value alone");
    }
    return snapshot;
  }

  /** The comparison, or null where the string itself is refused, as a finding says. */
  private @Nullable SettingsComparison compare(
      String text, String name, Snapshot snapshot, List<LintFinding> findings) {
    ParsedConfig believed;
    try {
      believed = ConfigParser.parse(text, version);
    } catch (ConfigException e) {
      if (findings.stream().noneMatch(finding -> finding.kind() == LintFinding.Kind.ILLEGAL)) {
        throw new IllegalStateException("the lint accepted a string that PyTorch rejects", e);
      }
      return null;
    }
    try {
      return SettingsComparison.of(
          believed,
          variable,
          snapshot,
          ConfigParser.parseRecorded(snapshot.settings().conf(), version),
          ConfigParser.parse("", version),
          version);
    } catch (ConfigException e) {
      throw new Failure(
          ("%s: PyTorch %s rejects the recorded settings \"%s\" (%s); give the recording's release"
                  + " with --torch-version")
              .formatted(name, version.id(), snapshot.settings().conf(), e.getMessage()),
          e);
    }
  }

  @Override
  public Document<?> document(LintAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(LintAnswer answer) {
    return !answer.isWrong();
  }
}
