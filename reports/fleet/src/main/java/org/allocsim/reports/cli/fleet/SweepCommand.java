package org.allocsim.reports.cli.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.fleet.sweep.SweepEngine;
import org.allocsim.analysis.fleet.sweep.SweepRequest;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.cli.option.PlainOutputs;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.TorchVersionOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgramVersion;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.fleet.SweepQuestion;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim sweep}: many traces under many settings on many GPUs. */
@Command(
    name = "sweep",
    description =
        "Replays many traces under every setting, allocator and GPU, with one row per run.")
public final class SweepCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private static final String EXPANDABLE = "expandable_segments:True";

  @Parameters(paramLabel = "INPUT", arity = "1..*")
  private List<String> inputs;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      required = true)
  private String out;

  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of policy pytorch, separated by semicolons: configuration strings, an empty one"
              + " for PyTorch's default, 'recorded' for the recorded settings of each trace, 'tune'"
              + " for those plus all that 'allocsim tune' tries; @FILE lists one per line (default:"
              + " recorded;"
              + EXPANDABLE
              + ").")
  private String confs = SweepRequest.RECORDED + ";" + EXPANDABLE;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Mixin private SweepGpuOptions gpuOptions;

  @Mixin private TorchVersionOption torchVersion;

  @Option(names = "--after-oom", paramLabel = "stop|continue")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Mixin private TraceOptions traceOptions;

  @Option(names = "--threads", paramLabel = "N")
  private int threads;

  @Option(names = "--engine", paramLabel = "local|spark")
  private String engine = SweepEngine.LOCAL;

  @Option(names = "--master", paramLabel = "URL")
  private String master;

  @Override
  public Integer call() throws IOException {
    if (threads < 0) {
      throw Failure.usage(
          "--threads " + threads + " must be at least 0; give the number of threads");
    }
    if (master != null && engine.equals(SweepEngine.LOCAL)) {
      throw Failure.usage("--master needs --engine spark; add it or omit --master");
    }
    List<String> ownGpus = new ArrayList<>();
    List<String> gpus = gpuOptions.gpus(ownGpus);
    SweepRequest request =
        new SweepRequest(
            policyOptions.text(),
            confs(),
            gpus,
            ownGpus,
            gpuOptions.fraction(),
            gpuOptions.limitBytes(),
            torchVersion.given() == null ? SweepRequest.RECORDED : torchVersion.given().id(),
            afterOom == AfterOom.STOP,
            traceOptions.deviceIndex(),
            traceOptions.format(),
            ProgramVersion.text(SweepCommand.class));
    return new Asking(new PlainOutputs(spec), null, Conditions.RECORDED)
        .ask(new SweepQuestion(request, inputs, out, engine, master, threads), List.of());
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
}
