package org.allocsim.reports.cli.suite;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.PolicyScores;
import org.allocsim.analysis.suite.Suite;
import org.allocsim.analysis.suite.SuiteResult;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.suite.SuiteAnswer;
import org.allocsim.reports.answer.suite.SuiteExport;
import org.allocsim.reports.answer.suite.SuiteScoresAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.io.EarlyEnd;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim suite}: public failures and claims, put to the test. */
@Command(name = "suite", description = "Tests published reports and claims about GPU memory.")
public final class SuiteCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", arity = "0..*")
  private List<String> names = new ArrayList<>();

  @Option(names = "--list")
  private boolean lists;

  @Option(names = "--export", paramLabel = "DIR")
  private String exportName;

  @Option(
      names = {"--policies", "--policy"},
      paramLabel = "all|ID,...")
  private String policyNames;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<SuiteScenario> scenarios = scenarios();
    if (lists) {
      SuiteAnswer.printList(scenarios, out);
      out.flush();
      return ExitCodes.DONE;
    }
    if (exportName != null) {
      export(scenarios, out);
      return ExitCodes.DONE;
    }
    EarlyEnd.begin();
    try (DocumentOutputs outputs = outputOptions.open()) {
      if (policyNames != null) {
        outputs.write(new SuiteScoresAnswer(score(scenarios)).document());
        return ExitCodes.DONE;
      }
      SuiteAnswer answer = new SuiteAnswer(run(scenarios));
      outputs.write(answer.document(!names.isEmpty()));
      return exitCode(answer);
    }
  }

  /** Whether every check of every scenario holds. */
  public static int exitCode(SuiteAnswer answer) {
    return answer.passes() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
  }

  private void export(List<SuiteScenario> scenarios, PrintWriter out) {
    if (policyNames != null || outputOptions.isGiven()) {
      throw Failure.usage("--export runs nothing; omit --policies and all other outputs");
    }
    try (OutputFiles outputs = new OutputFiles(out)) {
      int programs = SuiteExport.write(scenarios, exportName, outputs);
      outputs.commit();
      WrappedText.printLine(
          out,
          exportName
              + ": "
              + Numbers.count(programs, "program")
              + " of "
              + Numbers.count(scenarios.size(), "scenario")
              + "; suite.csv lists their runs");
      out.flush();
    }
  }

  private PolicyScores score(List<SuiteScenario> scenarios) {
    List<SuiteScenario> failures =
        scenarios.stream().filter(each -> each.topic().kind() == Kind.FAILURE).toList();
    if (failures.isEmpty()) {
      throw Failure.usage(
          "--policies scores reported failures, and none of the named scenarios is one; name"
              + " another");
    }
    List<PolicyChoice> choices;
    try {
      choices = PolicyChoice.parseList(policyNames);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policies: " + e.getMessage());
    }
    try (ProgressMeter progress = ProgressMeter.of("running", "policies")) {
      return PolicyScores.of(failures, choices, progress::update);
    }
  }

  private List<SuiteScenario> scenarios() {
    if (names.isEmpty()) {
      return Suite.all();
    }
    List<SuiteScenario> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          Suite.named(name)
              .orElseThrow(() ->
                  Failure.usage(
                      "'"
                          + name
                          + "' is not a scenario; "
                          + SimilarName.remedy(
                              name,
                              Suite.all().stream().map(each -> each.topic().name()).toList(),
                              "'allocsim suite --list' shows them"))));
    }
    return chosen;
  }

  private static List<SuiteResult> run(List<SuiteScenario> scenarios) {
    try (ProgressMeter progress = ProgressMeter.of("running", "scenarios")) {
      return Suite.run(scenarios, progress::update);
    }
  }
}
