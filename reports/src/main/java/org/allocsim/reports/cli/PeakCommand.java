package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.moment.MomentText;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.cli.option.GroupingOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.text.TextTable;
import org.allocsim.simulator.stats.ByteFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim peak}: what fills the memory at its peak. */
@Command(
    name = "peak",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows what a program holds when its memory is at the peak, by stack, size or phase.",
      "The lines add up to the byte; what was recorded without a stack has a line of its own."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim peak snapshot.pickle",
      "  allocsim peak snapshot.pickle --by phase --of reserved",
      "  allocsim peak snapshot.pickle --by size --top 40 --json peak.json",
      "",
      "Stacks are in a snapshot if torch.cuda.memory._record_memory_history() recorded them",
      "(stacks=\"python\" keeps to Python); phases are its annotations: optimizer steps and",
      "torch.profiler.record_function() blocks."
    })
final class PeakCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE)
  private String traceName;

  @Mixin private GroupingOptions grouping;

  @Mixin private ProgramOptions programOptions;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write all groups as CSV with units in the headings; - is standard output.")
  private String csvName;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all lines as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() throws IOException {
    grouping.limits();
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(traceName);
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      OutputFiles.Output csv = outputs.openIfGiven("--csv", csvName, file);
      ReplayedProgram program = ReplayedProgram.replay(traceName, programOptions);
      MemoryMoment moment = program.at(grouping.query(MomentQuery.Kind.PEAK_ALLOCATED));
      LiveSet live =
          LiveSet.of(moment, program.origins(), grouping.by(program), grouping.limits().frames());
      if (json != null) {
        JsonText.write(JsonDocument.PEAK.of(toMap(program, moment, live)), json.stream());
      }
      if (csv != null) {
        writeCsv(live, csv.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        print(program, moment, live, out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private void print(ReplayedProgram program, MemoryMoment moment, LiveSet live, PrintWriter out) {
    MomentText.printHeader(program, moment, out);
    TextTable table =
        TextTable.of(">allocated", ">bytes", ">requested", ">", ">blocks", heading(live.by()));
    long whole = live.allocated().blockBytes();
    int shown = Math.min(grouping.limits().top(), live.groups().size());
    for (Group group : live.groups().subList(0, shown)) {
      row(table, group, whole);
    }
    Group rest = new Group(Numbers.count(live.groups().size() - shown) + " more", 0, 0, 0);
    for (Group group : live.groups().subList(shown, live.groups().size())) {
      rest = rest.plus(group);
    }
    if (rest.blocks() > 0) {
      row(table, rest, whole);
    }
    if (live.unknown().blocks() > 0 || live.by() == LiveSet.By.STACK) {
      row(table, live.unknown(), whole);
    }
    row(table, live.allocated(), whole);
    if (live.awaiting().blocks() > 0) {
      row(table, live.awaiting(), whole);
    }
    table.print(out, "");
    out.println();
    MomentText.printMemory(program, moment, out);
    if (!program.inferences().isEmpty() || !program.notes().isEmpty()) {
      out.println();
    }
    InferenceText.print(program.inferences(), program.notes(), out, "");
  }

  private static String heading(LiveSet.By by) {
    return switch (by) {
      case STACK -> "allocated at, innermost frame first";
      case SIZE -> "requested size";
      case PHASE -> "allocated in phase";
    };
  }

  private static void row(TextTable table, Group group, long whole) {
    table.row(
        ByteFormat.human(group.blockBytes()),
        Numbers.count(group.blockBytes()),
        Numbers.count(group.requestedBytes()),
        Numbers.share(group.blockBytes(), whole),
        Numbers.count(group.blocks()),
        group.label());
  }

  private static Map<String, Object> toMap(
      ReplayedProgram program, MemoryMoment moment, LiveSet live) {
    Map<String, Object> map = MomentText.headerMap(program);
    map.put("moment", MomentText.toMap(program, moment));
    map.put("by", live.by().name().toLowerCase(Locale.ROOT));
    List<Object> groups = new ArrayList<>();
    live.groups().forEach(group -> groups.add(toMap(group)));
    map.put("groups", groups);
    map.put("unknown", toMap(live.unknown()));
    map.put("awaiting", toMap(live.awaiting()));
    return map;
  }

  /** Writes every group as a row, and what no group knows at the end. */
  private static void writeCsv(LiveSet live, OutputStream out) {
    List<Map<String, Object>> rows = new ArrayList<>();
    live.groups().forEach(group -> rows.add(toMap(group)));
    rows.add(toMap(live.unknown()));
    rows.add(toMap(live.awaiting()));
    CsvText.write(List.copyOf(rows.getLast().keySet()), rows, out);
  }

  /** A group as JSON. */
  static Map<String, Object> toMap(Group group) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("label", group.label());
    map.put("blocks", group.blocks());
    map.put("requested_bytes", group.requestedBytes());
    map.put("allocated_bytes", group.blockBytes());
    return map;
  }
}
