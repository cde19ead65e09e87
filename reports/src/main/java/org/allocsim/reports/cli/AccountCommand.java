package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.allocsim.analysis.account.GpuAccount;
import org.allocsim.analysis.account.GpuAccount.Part;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.moment.MomentText;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.cli.option.Choices;
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

/** {@code allocsim account}: reconciles what tensors take with what the GPU shows. */
@Command(
    name = "account",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Accounts for the memory of a GPU, from requests to what nvidia-smi shows.",
      "The lines add up to the GPU, to the byte; what nobody explains is a line of its own."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim account snapshot.pickle",
      "  allocsim account snapshot.pickle --at end --smi gpu.csv --smi apps.csv --pid 4711",
      "  allocsim account snapshot.pickle --at peak --total 24GiB --free 300MiB",
      "",
      "gpu.csv and apps.csv come from, with -l 1 to sample every second:",
      "  nvidia-smi --query-gpu=index,uuid,memory.total,memory.used,memory.free,memory.reserved \\",
      "    --format=csv > gpu.csv",
      "  nvidia-smi --query-compute-apps=gpu_uuid,pid,used_gpu_memory --format=csv > apps.csv"
    })
final class AccountCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE)
  private String traceName;

  @Option(
      names = "--at",
      paramLabel = "oom|peak|end|N",
      description =
          "When: at the first failed request, the peak of reserved memory, the end, or after"
              + " allocation request N, from 0 (default: oom if a request fails, else peak; the"
              + " end where there is no history).",
      converter = Choices.MomentConverter.class)
  private MomentQuery query;

  @Mixin private CardOptions gpuOptions;

  @Mixin private ProgramOptions programOptions;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the account as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(traceName);
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      CardOptions.Samples samples = gpuOptions.read();
      ReplayedProgram program = ReplayedProgram.read(traceName, programOptions);
      MemoryMoment moment = program.at(query);
      GpuAccount.Gpu gpu = gpuOptions.gpu(samples, program, moment, programOptions.device());
      GpuAccount account = GpuAccount.of(moment, gpu);
      List<String> notes = new ArrayList<>(program.notes());
      notes.addAll(samples.notes());
      if (json != null) {
        JsonText.write(
            JsonDocument.ACCOUNT.of(toMap(program, moment, account, gpu, notes)), json.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        print(program, moment, account, gpu, notes, out);
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private static void print(
      ReplayedProgram program,
      MemoryMoment moment,
      GpuAccount account,
      GpuAccount.Gpu gpu,
      List<String> notes,
      PrintWriter out) {
    MomentText.printHeader(program, moment, out);
    TextTable table = TextTable.of("where the GPU's memory is", ">", ">bytes", ">", "according to");
    boolean inside = true;
    for (GpuAccount.Line line : account.lines()) {
      if (inside && !line.part().isReserved()) {
        inside = false;
        row(table, "= reserved by PyTorch", account.reservedBytes(), account, "");
      }
      if (line.bytes() != 0 || !isRare(line.part())) {
        row(table, label(line.part()), line.bytes(), account, line.source());
      }
    }
    row(table, "= the GPU", account.totalBytes(), account, gpu.totalSource());
    table.print(out, "");
    if (!program.inferences().isEmpty() || !notes.isEmpty()) {
      out.println();
    }
    InferenceText.print(program.inferences(), notes, out, "");
  }

  /** Parts that most programs do not have. */
  private static boolean isRare(Part part) {
    return switch (part) {
      case CACHED_AWAITING, CACHED_OTHER_STREAMS, CACHED_PRIVATE -> true;
      default -> false;
    };
  }

  private static String label(Part part) {
    return (part == Part.REQUESTED ? "" : "+ ") + part.label();
  }

  private static void row(
      TextTable table, String name, long bytes, GpuAccount account, String source) {
    table.row(
        name,
        ByteFormat.human(bytes),
        (bytes < 0 ? "-" : "") + Numbers.count(Math.abs(bytes)),
        Numbers.share(bytes, account.totalBytes()),
        source);
  }

  private static Map<String, Object> toMap(
      ReplayedProgram program,
      MemoryMoment moment,
      GpuAccount account,
      GpuAccount.Gpu gpu,
      List<String> notes) {
    Map<String, Object> map = MomentText.headerMap(program);
    map.put("notes", notes);
    map.put("moment", MomentText.toMap(program, moment));
    List<Object> lines = new ArrayList<>();
    for (GpuAccount.Line line : account.lines()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("part", line.part().name().toLowerCase(Locale.ROOT));
      entry.put("bytes", line.bytes());
      entry.put("source", line.source());
      lines.add(entry);
    }
    map.put("lines", lines);
    map.put("reserved_bytes", account.reservedBytes());
    map.put("gpu_bytes", account.totalBytes());
    map.put("gpu_source", gpu.totalSource());
    return map;
  }
}
