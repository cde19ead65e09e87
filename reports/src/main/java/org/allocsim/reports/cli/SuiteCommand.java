package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.PolicyScores;
import org.allocsim.analysis.suite.Suite;
import org.allocsim.analysis.suite.SuiteResult;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.fleet.SuiteExport;
import org.allocsim.reports.answer.fleet.SuiteJson;
import org.allocsim.reports.answer.fleet.SuiteScoresText;
import org.allocsim.reports.answer.fleet.SuiteText;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.policy.PolicyChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim suite}: public failures and claims, put to the test. */
@Command(
    name = "suite",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Puts public reports and claims about GPU memory to the test.",
      "",
      "Each scenario runs programs of known sizes before and after a change, and compares what",
      "comes out with what was published. Without a name all run; a name shows its scenario in",
      "detail. The exit code is 3 where a check does not hold."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim suite",
      "  allocsim suite --list",
      "  allocsim suite article-gpu",
      "  allocsim suite --policies all",
      "  allocsim suite --export cases"
    })
final class SuiteCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "Scenarios to run (default: all, as a table).")
  private List<String> names = new ArrayList<>();

  @Option(names = "--list", description = "Show what there is, and run nothing.")
  private boolean lists;

  @Option(names = "--markdown", description = "Print the table as Markdown.")
  private boolean markdown;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all results as JSON; - is standard output.")
  private String jsonName;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description =
          "Write every run of every scenario as CSV with units in the headings; - is standard"
              + " output.")
  private String csvName;

  @Option(
      names = "--export",
      paramLabel = "DIR",
      description =
          "Write every program of the scenarios as JSON Lines into this folder, large ones"
              + " compressed, with a list of what runs on them, and run nothing.")
  private String exportName;

  @Option(
      names = "--policies",
      paramLabel = "LIST",
      description =
          "Run the reported failures under these allocators instead, and score them; 'all' is every"
              + " one, options stand in parentheses: 'pytorch,rmm-pool(initial=1GiB)'.")
  private String policyNames;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<SuiteScenario> scenarios = scenarios();
    if (lists) {
      SuiteText.printList(scenarios, out);
      out.flush();
      return ExitCodes.DONE;
    }
    requireOneTask();
    try (OutputFiles outputs = new OutputFiles(out)) {
      if (exportName != null) {
        int programs = SuiteExport.write(scenarios, exportName, outputs);
        outputs.commit();
        WrappedText.printLine(
            out,
            exportName
                + ": "
                + Numbers.count(programs, "program")
                + " of "
                + Numbers.count(scenarios.size(), "scenario")
                + "; suite.csv lists what runs on them");
        out.flush();
        return ExitCodes.DONE;
      }
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, null);
      OutputFiles.Output csv = outputs.openIfGiven("--csv", csvName, null);
      if (policyNames != null) {
        score(scenarios, json, csv, outputs, out);
        return ExitCodes.DONE;
      }
      List<SuiteResult> results = run(scenarios);
      if (json != null) {
        JsonText.write(JsonDocument.SUITE.of(SuiteJson.of(results)), json.stream());
      }
      if (csv != null) {
        SuiteJson.writeCsv(results, csv.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        print(results, out);
        out.flush();
      }
      return exitCode(results);
    }
  }

  /** Whether every check of every scenario holds. */
  static int exitCode(List<SuiteResult> results) {
    return results.stream().allMatch(result -> result.findings().passes())
        ? ExitCodes.DONE
        : ExitCodes.CHECK_DID_NOT_HOLD;
  }

  private void requireOneTask() {
    if (exportName != null
        && (policyNames != null || jsonName != null || csvName != null || markdown)) {
      throw Failure.usage(
          "--export runs nothing; leave --policies, --json, --csv and --markdown out");
    }
  }

  private void score(
      List<SuiteScenario> scenarios,
      OutputFiles.Output json,
      OutputFiles.Output csv,
      OutputFiles outputs,
      PrintWriter out) {
    List<SuiteScenario> failures =
        scenarios.stream().filter(each -> each.topic().kind() == Kind.FAILURE).toList();
    if (failures.isEmpty()) {
      throw Failure.usage("--policies scores reported failures, and none of these is one");
    }
    List<PolicyChoice> choices;
    try {
      choices = PolicyChoice.parseList(policyNames);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policies: " + e.getMessage());
    }
    PolicyScores scores;
    try (ProgressMeter progress = ProgressMeter.ofPolicies("running")) {
      scores = PolicyScores.of(failures, choices, progress::update);
    }
    if (json != null) {
      JsonText.write(JsonDocument.SUITE_SCORES.of(SuiteScoresText.toMap(scores)), json.stream());
    }
    if (csv != null) {
      SuiteScoresText.writeCsv(scores, csv.stream());
    }
    outputs.commit();
    if (!outputs.takesStandardOutput()) {
      if (markdown) {
        SuiteScoresText.printMarkdown(scores, out);
      } else {
        SuiteScoresText.print(scores, out);
      }
      out.flush();
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
                      "'" + name + "' is not a scenario; 'allocsim suite --list' shows them")));
    }
    return chosen;
  }

  private static List<SuiteResult> run(List<SuiteScenario> scenarios) {
    try (ProgressMeter progress = ProgressMeter.ofScenarios("running")) {
      return Suite.run(scenarios, progress::update);
    }
  }

  private void print(List<SuiteResult> results, PrintWriter out) {
    if (markdown) {
      SuiteText.printMarkdown(results, out);
    } else if (names.isEmpty()) {
      SuiteText.printTable(results, out);
    } else {
      for (int i = 0; i < results.size(); i++) {
        if (i > 0) {
          out.println();
        }
        SuiteText.printDetail(results.get(i), out);
      }
    }
  }
}
