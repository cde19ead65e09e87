package org.allocsim.reports.cli.convert;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.cli.option.IterationsOption;
import org.allocsim.reports.cli.option.PositiveConverter;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.typed.TypedNumber;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.source.TraceSource;
import org.allocsim.workloads.transform.RankMerge;
import org.allocsim.workloads.transform.Repetition;
import org.allocsim.workloads.transform.SizeFit;
import org.allocsim.workloads.transform.StepOrder;
import org.allocsim.workloads.transform.Window;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim transform}: makes one program out of another. */
@Command(
    name = "transform",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Makes another program out of one, or one out of several.",
      "",
      "It may be a part of it, the same several times over, at another batch, with its steps in",
      "another order, or several ranks as devices of one trace. Writes JSON Lines, which every",
      "command reads.",
      "",
      "What is held when a part begins becomes its prologue. At the seams of a repeated program",
      "what a pass has left is given back, so that each begins alike. A batch can be scaled where",
      "two runs that differ in their batch only show how each size depends on it. Memory that one",
      "step made and another gives back is given back late where their order turns round."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim transform run.pickle --window 10:20 -o steps.jsonl.zst",
      "  allocsim transform steps.jsonl.zst --repeat 100 -o long.jsonl.zst",
      "  allocsim transform b8.pickle --scale-batch 4 --other b16.pickle --other-scale 2 -o"
          + " b32.jsonl",
      "  allocsim transform run.pickle --reorder-steps seed:7 -o shuffled.jsonl",
      "  allocsim transform rank0.pickle rank1.pickle --merge -o ranks.jsonl"
    })
public final class TransformCommand implements Callable<Integer> {
  private static final Pattern RANGE = Pattern.compile("([0-9]{1,9}):([0-9]{1,9})");
  private static final Pattern SEED = Pattern.compile("seed:(-?[0-9]{1,18})");
  private static final Pattern LIST = Pattern.compile("[0-9]{1,9}(,[0-9]{1,9})*");

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description = "Trace of any format; several with --merge.")
  private List<String> names;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Change change;

  /** What is to be done. */
  private static final class Change {
    @Option(
        names = "--window",
        paramLabel = "FROM:TO",
        description = "Keep the steps from FROM up to TO, which is left out; counted from 0.")
    private String steps;

    @Option(
        names = "--rows",
        paramLabel = "FROM:TO",
        description = "Keep the rows from FROM up to TO, which is left out; counted from 0.")
    private String rows;

    @Option(names = "--repeat", paramLabel = "N", description = "The whole program N times.")
    private Integer times;

    @Option(
        names = "--scale-batch",
        paramLabel = "F",
        description = "Sizes for F times the batch; needs --other and --other-scale.",
        converter = PositiveConverter.class)
    private Double scale;

    @Option(
        names = "--reorder-steps",
        paramLabel = "seed:S|I,J,...",
        description = "The steps in a random order, or in this one, counted from 0.")
    private String order;

    @Option(names = "--merge", description = "The traces as devices of one, in this order.")
    private boolean merges;
  }

  @Option(
      names = "--other",
      paramLabel = "TRACE",
      description = "Another run of the same program, with another batch.")
  private String otherName;

  @Option(
      names = "--other-scale",
      paramLabel = "G",
      description = "Its batch over that of TRACE.",
      converter = PositiveConverter.class)
  private Double otherScale;

  @Mixin private IterationsOption iterationsOption;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "File to write, .jsonl, also with .gz, .xz or .zst; - is standard output.")
  private String outputName;

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the traces (default: recognised by content).")
  private String format;

  /** Share of the requests that the other run has too. */
  private double sharedRatio = 1;

  @Override
  public Integer call() throws IOException {
    requireConsistent();
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(names.getFirst());
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output output = outputs.open("--output", outputName, file);
      AllocationTrace changed = changed();
      try (OutputStream stream =
          Compression.ofName(outputName)
              .encode(new BufferedOutputStream(output.stream(), 1 << 16))) {
        new JsonLinesFormat()
            .writer()
            .orElseThrow()
            .write(changed, JsonLinesFormat.ALL_DEVICES, stream);
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        WrappedText.printLine(
            out,
            "%s: %s of %s, %s of them recreate what was held before%s"
                .formatted(
                    outputName,
                    Numbers.count(changed.eventCount(), "row"),
                    Numbers.count(changed.deviceCount(), "device"),
                    Numbers.count(changed.prologueCount()),
                    sharedRatio < 1
                        ? "; "
                            + Numbers.percent(1 - sharedRatio)
                            + " of the requests are not in the other run and grow as those of their"
                            + " size, 'allocsim fit --batch' gives an interval"
                        : ""));
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private void requireConsistent() {
    if (names.size() > 1 && !change.merges) {
      throw Failure.usage("several traces are for --merge only; name one");
    }
    if (names.size() == 1 && change.merges) {
      throw Failure.usage("--merge of a single trace changes nothing; name several");
    }
    boolean scales = change.scale != null;
    if (scales != (otherName != null) || scales != (otherScale != null)) {
      throw Failure.usage(
          "a trace does not say which sizes depend on its batch: --scale-batch, --other with"
              + " another run and --other-scale with its batch go together; 'allocsim fit --batch'"
              + " predicts peaks from two runs or more");
    }
    if (change.times != null && change.times < 1) {
      throw Failure.usage("--repeat " + change.times + " is less than once; write 1 or more");
    }
    String plain = Compression.plainName(outputName);
    if (!outputName.equals("-") && !plain.endsWith(".jsonl")) {
      throw Failure.usage(
          "--output "
              + outputName
              + ": transform writes JSON Lines; name a .jsonl file, and use convert for others");
    }
  }

  private AllocationTrace changed() {
    AllocationTrace trace = read(names.getFirst());
    try {
      if (change.merges) {
        List<AllocationTrace> ranks = new ArrayList<>(List.of(trace));
        names.subList(1, names.size()).forEach(name -> ranks.add(read(name)));
        return RankMerge.of(ranks);
      }
      if (change.scale != null) {
        return scaled(trace);
      }
      if (change.times != null) {
        return Repetition.of(trace, change.times);
      }
      if (change.order != null) {
        return reordered(trace);
      }
      return window(trace).of(trace);
    } catch (IllegalArgumentException e) {
      throw new Failure(names.getFirst() + ": " + e.getMessage(), e);
    }
  }

  private AllocationTrace scaled(AllocationTrace trace) {
    int all = SizeFit.Run.ALL_DEVICES;
    try {
      SizeFit fit =
          SizeFit.of(
              List.of(
                  new SizeFit.Run(trace, all, 1),
                  new SizeFit.Run(read(otherName), all, otherScale)));
      if (!fit.isProportional()) {
        throw new IllegalArgumentException(
            ("no request grows by --other-scale %s to its size in %s, as the inputs of a"
                    + " batch do; give the share of the batches")
                .formatted(otherScale, otherName));
      }
      sharedRatio = fit.sharedRatio(0);
      return fit.at(change.scale, 0);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage()
              + "; 'allocsim fit --batch' predicts peaks from more runs, with an interval",
          e);
    }
  }

  private AllocationTrace read(String name) {
    TraceSource source = Traces.open(name, format);
    return Traces.program(source, Conditions.RECORDED).input().trace();
  }

  private Window window(AllocationTrace trace) {
    boolean bySteps = change.steps != null;
    String text = bySteps ? change.steps : change.rows;
    String option = bySteps ? "--window " : "--rows ";
    Matcher range = RANGE.matcher(TypedNumber.plain(text));
    if (!range.matches()) {
      throw Failure.usage(option + text + " is no range; write FROM:TO, such as 10:20");
    }
    int from = Integer.parseInt(range.group(1));
    int to = Integer.parseInt(range.group(2));
    Optional<Iterations> steps = bySteps ? Optional.of(steps(trace)) : Optional.empty();
    int end = steps.map(Iterations::count).orElse(trace.eventCount());
    if (from >= to || to > end) {
      throw Failure.usage(
          option
              + text
              + " is no part of "
              + Numbers.count(end, bySteps ? "step" : "row")
              + "; write FROM:TO with FROM below TO");
    }
    return steps
        .map(each -> new Window(each.begin(from), each.begin(to)))
        .orElseGet(() -> new Window(from, to));
  }

  private AllocationTrace reordered(AllocationTrace trace) {
    StepOrder steps = new StepOrder(steps(trace).boundaries());
    Matcher seed = SEED.matcher(TypedNumber.plain(change.order));
    if (seed.matches()) {
      return steps.apply(trace, steps.shuffled(Long.parseLong(seed.group(1))));
    }
    if (!LIST.matcher(change.order).matches()) {
      throw Failure.usage(
          "--reorder-steps " + change.order + " is no order; write seed:7 or 2,0,1");
    }
    String[] items = change.order.split(",");
    int[] order = new int[items.length];
    for (int i = 0; i < items.length; i++) {
      order[i] = Integer.parseInt(items[i]);
    }
    return steps.apply(trace, order);
  }

  private Iterations steps(AllocationTrace trace) {
    int device = trace.eventCount() == 0 ? 0 : trace.device(0);
    try {
      return iterationsOption.find(new IterationFinder(trace, device));
    } catch (IterationException e) {
      throw new Failure(names.getFirst() + ": its steps are not known: " + e.getMessage(), e);
    }
  }
}
