package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.replay.RepeatedReplayQuestion;
import org.allocsim.reports.question.replay.ReplayQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim replay}: one policy on one recorded program. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays a recorded program on one allocator and shows what it did.",
      "Prints out-of-memory messages, PyTorch's memory summary and where reserved memory went.",
      "",
      "With the recorded settings, addresses and refusals come from the recording; with other",
      "settings, another device or a capacity, from the simulated device. Of a folder with the",
      "recordings of a job's ranks every rank is replayed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim replay snapshot.pickle",
      "  allocsim replay snapshot.pickle.xz --memory-fraction 0.9 --chart memory.svg",
      "  allocsim replay snapshot.pickle --conf expandable_segments:True --capacity 24GiB",
      "  allocsim replay snapshot.pickle --memory-limit 20GiB --after-oom stop",
      "  allocsim replay snapshot.pickle --capacity 12GiB --insert empty_cache@phase-boundaries",
      "  allocsim replay ranks/ --conf expandable_segments:True",
      "  allocsim replay snapshot.pickle --events - | head",
      "  allocsim replay 'program:gpt(iterations=4)' --repeat 1000 --policy cuda-async"
    })
public final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      description =
          "Allocator, with options in parentheses: rmm-pool(initial=1GiB); 'allocsim list policies'"
              + " shows them (default: pytorch).",
      defaultValue = Program.PYTORCH,
      converter = PolicyChoiceConverter.class)
  private PolicyChoice policy;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description = "PYTORCH_CUDA_ALLOC_CONF to replay under (default: the recorded one).")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--addresses",
      paramLabel = "recorded|modelled",
      description =
          "Where addresses and refusals come from (default: recorded with the recorded settings"
              + " and device, else modelled).")
  private Addresses addresses;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "What happens after a request that fails: stop ends the replay, the failure is the "
              + "verdict; continue goes on as if the program had caught the error, and passes over "
              + "the frees of that request (default: continue). A request that failed in the "
              + "recording and is served now is given back at once.")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(
      names = "--insert",
      paramLabel = "empty_cache@PLACE",
      description =
          "Replay the program as if it called torch.cuda.empty_cache() at phase-boundaries (where"
              + " recorded annotations begin or end), every:N (after every N steps), before-oom"
              + " (right before what fails otherwise) or request:N (before allocation request N,"
              + " counted from 0).",
      converter = CacheInsertionConverter.class)
  private CacheInsertion insertion;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Replay the program N times over, each time from the same start and on the cache that the"
              + " last one left, and show the statistics and the speed. The trace is held once, so"
              + " memory does not grow with N; TRACE may be program:ID or program:ID(name=value) to"
              + " generate it at once ('allocsim list programs'). Once is the ordinary replay.")
  private Long repeat;

  @Option(
      names = "--check",
      description = "Check the allocator's invariants after every event; slow.")
  private boolean check;

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description = "Write every event of the allocator as a line of JSON; - is standard output.")
  private String eventsName;

  @Mixin private FigureOptions outputOptions;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Draw memory over time; the name ends in " + ChartFile.EXTENSIONS + ".")
  private String chartName;

  @Option(
      names = "--charts",
      paramLabel = "DIR",
      description =
          "Folder that gets charts as .svg and .png, and for dark paper as -dark.svg and -dark.png:"
              + " memory, fragmentation, sizes, lifetimes, utilisation (programs with work),"
              + " segments-oom, segments-peak and segments-end by state, with -age and -stack"
              + " where these are recorded; it is made where missing.")
  private String chartsName;

  @Override
  public Integer call() throws IOException {
    FigureOptions.format(chartName);
    outputOptions.requireCharts(
        chartName != null || chartsName != null,
        "--chart FILE, --charts DIR or --report DIR, or leave it out");
    ReplayQuestion question = question();
    if (repeat != null && repeat < 1) {
      throw Failure.usage("--repeat " + repeat + " is less than once; give 1 or more");
    }
    boolean isRepeated = repeat != null && repeat > 1;
    if (isRepeated && !question.isPlain()) {
      throw Failure.usage(
          "--repeat shows statistics and speed of modelled addresses; leave out --addresses"
              + " recorded, --insert, --check, --events, --chart and --charts");
    }
    if (repeat != null && Jobs.isFolder(traceName)) {
      throw ReplayQuestion.refusedForJob(traceName);
    }
    Asking asking = traceOptions.asking(outputOptions, conditions());
    return isRepeated
        ? asking.ask(new RepeatedReplayQuestion(question.policy(), afterOom, repeat), traceName)
        : asking.ask(question, traceName);
  }

  /** What is asked. */
  public ReplayQuestion question() {
    return new ReplayQuestion(
        isPyTorch() ? null : policy,
        addresses,
        afterOom,
        insertion,
        check,
        new ReplayQuestion.Files(eventsName, chartName, chartsName, outputOptions.isByEvent()));
  }

  private boolean isPyTorch() {
    return policy.provider().spec().id().equals(Program.PYTORCH);
  }

  /** What the options ask for; policy pytorch may name settings and release itself. */
  public Conditions conditions() {
    Conditions conditions = deviceOptions.conditions();
    if (!isPyTorch()) {
      if (conf != null) {
        throw Failure.usage("--conf is for policy pytorch; leave it out");
      }
      return conditions;
    }
    String inPolicy = policy.options().get(Program.CONF_OPTION);
    if (conf != null && inPolicy != null) {
      throw Failure.usage("--conf and --policy both give settings; leave one of them out");
    }
    String release = policy.options().get(Program.VERSION_OPTION);
    return (release == null ? conditions : conditions.by(version(release)))
        .under(conf == null ? inPolicy : conf);
  }

  private static PyTorchVersion version(String name) {
    try {
      return PyTorchVersion.of(name);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policy: " + e.getMessage());
    }
  }
}
