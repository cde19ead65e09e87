package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.product.SnapshotContents;
import org.allocsim.reports.answer.product.TraceContents;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim inspect}: what is in a file. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows what is in a file.",
      "For each device: events by action, streams, sizes, segments and pools at the end; for the",
      "file: settings, annotations, stacks, and what the reader passed over. Shows whether the",
      "history is whole and adds up to the segments at the end."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim inspect snapshot.pickle",
      "  allocsim inspect snapshot.pickle --json -",
      "  allocsim inspect huge.pickle --from 200000 --to 400000"
    })
final class InspectCommand implements Callable<Integer> {
  private static final int ANNOTATIONS_SHOWN = 10;
  private static final int STREAMS_SHOWN = 8;
  private static final int BAR_COLUMNS = 40;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = TraceOptions.TRACE)
  private String name;

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the file (default: recognised by content).")
  private String format;

  @Option(
      names = "--from",
      paramLabel = "N",
      description = "Count entries of each history from number N on, from 0 (default: 0).")
  private long from;

  @Option(
      names = "--to",
      paramLabel = "N",
      description = "Count entries up to, but not with, number N (default: all).")
  private long to = Long.MAX_VALUE;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the counts as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() {
    if (from < 0 || to < from) {
      throw Failure.usage(
          "--from " + from + " --to " + to + " is no range; give a start and an end after it");
    }
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(name);
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      TraceSource source = Traces.open(name, format);
      if (source.snapshot().isEmpty()) {
        inspect(source, json, outputs);
        return ExitCodes.DONE;
      }
      Snapshot snapshot = source.snapshot().get();
      SnapshotContents contents = SnapshotContents.of(snapshot, from, to);
      if (json != null) {
        JsonText.write(JsonDocument.INSPECT.of(contents.toMap(name)), json.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        print(snapshot, summary(source), contents, out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private void inspect(TraceSource source, OutputFiles.Output json, OutputFiles outputs) {
    if (from > 0 || to < Long.MAX_VALUE) {
      throw Failure.usage(
          name + " holds no history, which --from and --to count in; leave them out");
    }
    PrintWriter out = spec.commandLine().getOut();
    TraceContents contents =
        TraceContents.of(Traces.read(source, ReadingOptions.of(PyTorchVersion.DEFAULT)));
    if (json != null) {
      JsonText.write(JsonDocument.INSPECT.of(contents.toMap()), json.stream());
    }
    outputs.commit();
    if (!outputs.takesStandardOutput()) {
      contents.print(summary(source), out);
      out.flush();
    }
  }

  private static String summary(TraceSource source) {
    return TraceFormats.named(source.format())
        .map(TraceFormat::summary)
        .orElse("generated; 'allocsim list programs' shows the programs");
  }

  private void print(
      Snapshot snapshot, String summary, SnapshotContents contents, PrintWriter out) {
    WrappedText.printField(out, "file      ", name);
    out.println("sha256    " + snapshot.sha256());
    WrappedText.printField(out, "format    ", summary);
    WrappedText.printField(
        out,
        "settings  ",
        (snapshot.settings().present()
            ? "PYTORCH_CUDA_ALLOC_CONF=\"" + snapshot.settings().conf() + "\""
            : "not recorded"));
    WrappedText.printField(out, "stacks    ", stacks(snapshot));
    for (SnapshotContents.Device device : contents.devices()) {
      if (device.events() > 0 || device.segments() > 0) {
        out.println();
        print(device, out);
        contents.accounts().stream()
            .filter(account -> account.device() == device.index())
            .flatMap(account -> account.lines().stream())
            .forEach(line -> WrappedText.print(out, "  ", "    ", line));
      }
    }
    printAnnotations(contents.annotations(), out);
    if (!snapshot.notes().isEmpty()) {
      out.println();
      out.println("notes");
      snapshot.notes().forEach(note -> WrappedText.printItem(out, "  ", note));
    }
  }

  private static String stacks(Snapshot snapshot) {
    int stacks = snapshot.stacks().stackCount() - 1;
    return stacks == 0
        ? "not recorded"
        : Numbers.count(stacks)
            + " different, of "
            + Numbers.count(snapshot.stacks().frameCount())
            + " different frames";
  }

  private static void print(SnapshotContents.Device device, PrintWriter out) {
    out.println(
        "device "
            + device.index()
            + ": "
            + Numbers.count(device.events(), "event")
            + (device.events() == device.history()
                ? ""
                : " from number "
                    + Numbers.count(device.from())
                    + " on, of "
                    + Numbers.count(device.history()))
            + (device.spanNanos() < 0 ? "" : " in " + Numbers.seconds(device.spanNanos())));
    TextTable actions = TextTable.of("action", ">events");
    device.actions().forEach((kind, count) -> actions.row(kind.action(), Numbers.count(count)));
    if (actions.rowCount() > 0) {
      actions.print(out, "  ");
    }
    if (device.withStack() > 0) {
      out.println("  " + Numbers.share(device.withStack(), device.events()) + " have a stack");
    }
    if (!device.streams().isEmpty()) {
      out.println("  streams: " + streams(device));
    }
    StringJoiner blocks = new StringJoiner(", ");
    device
        .blocks()
        .forEach((state, count) -> blocks.add(Numbers.count(count) + " " + state.label()));
    WrappedText.print(
        out,
        "  ",
        "    ",
        "at the end: "
            + Numbers.count(device.segments(), "segment")
            + (device.expandable() > 0
                ? " (" + Numbers.count(device.expandable()) + " expandable)"
                : "")
            + " of "
            + ByteFormat.human(device.segmentBytes())
            + ", of which "
            + ByteFormat.human(device.activeBytes())
            + " active; blocks: "
            + (blocks.length() == 0 ? "none" : blocks));
    if (!device.pools().isEmpty()) {
      WrappedText.print(
          out, "  ", "    ", "private pools at the end: " + String.join(" ", device.pools()));
    }
    printSizes(device.sizes(), out);
  }

  private static String streams(SnapshotContents.Device device) {
    int count = device.streams().size();
    return Numbers.count(count)
        + " ("
        + String.join(", ", device.streams().subList(0, Math.min(STREAMS_SHOWN, count)))
        + (count > STREAMS_SHOWN ? ", ...)" : ")");
  }

  private static void printSizes(long[] sizes, PrintWriter out) {
    long highest = 0;
    for (long count : sizes) {
      highest = Math.max(highest, count);
    }
    if (highest == 0) {
      return;
    }
    out.println("  allocations by requested size");
    TextTable table = TextTable.of(">from", ">allocations", "");
    for (int power = 0; power < sizes.length; power++) {
      if (sizes[power] > 0) {
        int length = (int) Math.max(1, Math.round((double) sizes[power] / highest * BAR_COLUMNS));
        table.row(sizeLabel(power), Numbers.count(sizes[power]), "#".repeat(length));
      }
    }
    table.print(out, "    ");
  }

  /** A power of two without idle decimals. */
  private static String sizeLabel(int power) {
    return ByteFormat.human(1L << power).replace(".00", "");
  }

  private static void printAnnotations(Map<String, Long> annotations, PrintWriter out) {
    if (annotations.isEmpty()) {
      return;
    }
    out.println();
    out.println("annotations");
    TextTable table = TextTable.of("name", ">times");
    annotations.entrySet().stream()
        .limit(ANNOTATIONS_SHOWN)
        .forEach(entry -> table.row(entry.getKey(), Numbers.count(entry.getValue())));
    table.print(out, "  ");
    if (annotations.size() > ANNOTATIONS_SHOWN) {
      out.println("  and " + Numbers.count(annotations.size() - ANNOTATIONS_SHOWN, "more name"));
    }
  }
}
