package org.allocsim.reports.cli.decide;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.allocsim.analysis.fleet.sweep.SweepEngine;
import org.allocsim.analysis.fleet.sweep.SweepException;
import org.allocsim.analysis.fleet.sweep.SweepListener;
import org.allocsim.analysis.fleet.sweep.SweepRequest;
import org.allocsim.analysis.fleet.sweep.SweepResults;
import org.allocsim.analysis.fleet.sweep.SweepSummary;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.text.RowTable;
import org.allocsim.reports.cli.option.LimitOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgramVersion;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.plugin.PluginLoader;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.reports.text.VisibleText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code allocsim sweep}: many traces under many settings on many GPUs. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays many traces under every setting, allocator and GPU, a row for each run.",
      "",
      "Writes rows.csv, rows.parquet, and sweep.json, which says what the columns mean. Files"
          + " whose",
      "names differ in their rank only are of one job, which their rows name.",
      "",
      "A trace is read once. Finished runs are kept in the folder: the same sweep, killed or with"
          + " a",
      "larger grid, makes only those that are missing. A file that is no trace has a row with its",
      "error and ends nothing. 'allocsim fleet-report' summarises the rows."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, also where some files are no traces",
      "1:failed: no input, no file that could be read, unwritable output",
      "2:wrong usage"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim sweep snapshots -o swept",
      "  allocsim sweep snapshots --confs tune --capacities 16GiB,24GiB,40GiB -o swept",
      "  allocsim sweep 'july/**/*.pickle' @more.txt --confs 'recorded;expandable_segments:True'"
          + " \\",
      "      --devices t4,l4,a100-40gb --policies pytorch,cuda-async -o swept",
      "  allocsim sweep ooms --capacities recorded --confs tune -o swept"
    })
public final class SweepCommand implements Callable<Integer> {
  private static final String EXPANDABLE = "expandable_segments:True";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "INPUT",
      arity = "1..*",
      description =
          "Files, folders (the files in them and below with names of traces), patterns such as"
              + " 'a/**/*.pickle', or @LIST for a text file with an input on each line.")
  private List<String> inputs;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      required = true,
      description = "Folder for the results; it is made where missing.")
  private String out;

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of policy pytorch, separated by semicolons: configuration strings, an empty one"
              + " for PyTorch's default, 'recorded' for those that each trace was recorded with,"
              + " 'tune' for the recorded ones and all that 'allocsim tune' tries; @FILE has one on"
              + " each line (default: recorded;"
              + EXPANDABLE
              + ").")
  private String confs = SweepRequest.RECORDED + ";" + EXPANDABLE;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Option(
      names = {"--capacities", "--capacity"},
      paramLabel = "SIZE,...",
      split = ",",
      hideParamSyntax = true,
      description =
          "GPUs with this much free memory, such as 16GiB,24GiB; 'recorded' is the GPU and the"
              + " limit that each recording shows, else h100-80gb.")
  private List<String> capacities = List.of();

  @Option(
      names = {"--devices", "--device"},
      paramLabel = "PROFILE,...",
      split = ",",
      hideParamSyntax = true,
      description =
          "GPUs that 'allocsim list devices' shows, or files that 'allocsim calibrate' wrote"
              + " (default, without --capacities: 'recorded'; with a limit: h100-80gb).")
  private List<String> devices = List.of();

  @ArgGroup(exclusive = true)
  private @Nullable LimitOptions limit;

  @Mixin private TorchVersionOption torchVersion;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "Whether a run ends at its first failed request; that is faster, and peaks are then those"
              + " until there (default: continue).")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Runs at a time (default: one on each core).")
  private int threads;

  @Option(
      names = "--engine",
      paramLabel = "local|spark",
      description = "What makes the runs: this machine, or Apache Spark (default: local).")
  private String engine = SweepEngine.LOCAL;

  @Option(
      names = "--master",
      paramLabel = "URL",
      description =
          "Spark's master, such as spark://host:7077 (default: what spark-submit says, else this"
              + " machine).")
  private String master;

  @Override
  public Integer call() throws IOException {
    if (threads < 0) {
      throw Failure.usage("--threads " + threads + " is negative; give a number of threads");
    }
    SweepEngine chosen = engine();
    List<String> ownGpus = new ArrayList<>();
    List<String> gpus = gpus(ownGpus);
    SweepRequest request =
        new SweepRequest(
            policyOptions.text(),
            confs(),
            gpus,
            ownGpus,
            limit == null ? null : limit.fraction(),
            limit == null ? null : limit.bytes(),
            torchVersion.given() == null ? SweepRequest.RECORDED : torchVersion.given().id(),
            afterOom == AfterOom.STOP,
            traceOptions.deviceIndex(),
            traceOptions.format(),
            ProgramVersion.text());
    PrintWriter terminal = spec.commandLine().getOut();
    EarlyEnd.begin();
    SweepSummary summary;
    try (ProgressMeter progress = ProgressMeter.of("sweeping", "runs")) {
      summary =
          chosen.run(
              request,
              inputs,
              out,
              new SweepEngine.Options(
                  master,
                  threads,
                  PluginLoader.current().map(PluginLoader::jars).orElse(List.of())),
              new Progress(progress));
    } catch (SweepException e) {
      if (EarlyEnd.isAsked()) {
        terminal.println(e.getMessage());
        return ExitCodes.FAILED;
      }
      throw e.isUsage() ? Failure.usage(e.getMessage()) : new Failure(e.getMessage(), e);
    }
    print(summary, terminal);
    if (summary.files() == summary.unreadable()) {
      throw new Failure(
          "none of the files could be read; the column error of %s/%s says why"
              .formatted(out, SweepResults.CSV));
    }
    return ExitCodes.DONE;
  }

  private SweepEngine engine() {
    if (master != null && engine.equals(SweepEngine.LOCAL)) {
      throw Failure.usage("--master is for --engine spark; add that, or leave the master out");
    }
    Optional<SweepEngine> found = SweepEngine.named(engine);
    if (found.isEmpty() && engine.equals("spark")) {
      throw new Failure(
          "--engine spark: Spark is not part of this installation; build allocsim-spark.jar with"
              + " './mvnw -Pspark -Dquick package' and start 'spark-submit"
              + " reports/spark/target/quick/allocsim-spark.jar sweep ... --engine spark'");
    }
    return found.orElseThrow(() ->
        Failure.usage(
            "--engine "
                + engine
                + " is not an engine; "
                + SimilarName.remedy(
                    engine, List.of("local", "spark"), "there are local and spark")));
  }

  private List<String> confs() throws IOException {
    List<String> list = new ArrayList<>();
    for (String text : ConfChoices.split(confs)) {
      if (!text.startsWith("@")) {
        list.add(text);
        continue;
      }
      try (BufferedReader lines =
          Files.newBufferedReader(Inputs.require(text.substring(1)), StandardCharsets.UTF_8)) {
        lines.lines().map(String::strip).filter(line -> !line.startsWith("#")).forEach(list::add);
      }
    }
    return list;
  }

  /**
   * The GPUs.
   *
   * @param own gets those that do not come with the program
   */
  private List<String> gpus(List<String> own) {
    List<String> gpus = new ArrayList<>();
    try {
      for (String capacity : capacities) {
        gpus.add(
            capacity.strip().equals(SweepRequest.RECORDED)
                ? SweepRequest.RECORDED
                : json(DeviceProfiles.ofCapacity(new SizeConverter().convert(capacity))));
      }
      for (String device : devices) {
        DeviceProfile profile = new ProfileConverter().convert(device.strip());
        gpus.add(json(profile));
        if (!ShippedProfiles.all().contains(profile)) {
          own.add(json(profile));
        }
      }
    } catch (TypeConversionException e) {
      throw Failure.usage(e.getMessage());
    }
    if (gpus.isEmpty()) {
      gpus.add(limit == null ? SweepRequest.RECORDED : json(DeviceProfiles.defaultProfile()));
    }
    return gpus;
  }

  private static String json(DeviceProfile profile) {
    return JsonText.text(ProfileFile.fields(profile));
  }

  private void print(SweepSummary summary, PrintWriter terminal) {
    long made = summary.runs() - summary.reused();
    terminal.println(
        "%s, %s: %s served every request, %s ran out of memory%s"
            .formatted(
                Numbers.count(summary.files(), "trace"),
                Numbers.count(summary.runs(), "run"),
                Numbers.count(summary.passed()),
                Numbers.count(summary.ooms()),
                summary.notRun() == 0
                    ? ""
                    : ", " + Numbers.count(summary.notRun()) + " could not be made"));
    if (summary.unreadable() > 0) {
      terminal.println(
          Numbers.count(summary.unreadable(), "file") + " could not be read; their rows say why");
    }
    if (summary.passedOver() > 0) {
      terminal.println(
          Numbers.count(summary.passedOver(), "file")
              + " in folders without the name of a trace: passed over");
    }
    terminal.println(
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
    terminal.println(
        VisibleText.of(out)
            + ": "
            + SweepResults.CSV
            + (summary.parquet() ? ", " + SweepResults.PARQUET : "")
            + ", "
            + SweepResults.ABOUT);
    if (!summary.parquet()) {
      terminal.println("No " + SweepResults.PARQUET + ": " + RowTable.REMEDY);
    }
    terminal.flush();
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
