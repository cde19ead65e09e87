package org.allocsim.reports.cli.convert;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.WrittenFormat;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceWriter;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.Programs;
import org.allocsim.workloads.transform.Timestamps;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim generate}: the trace of a program that was never run. */
@Command(
    name = "generate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes what a program would ask of its GPU.",
      "",
      "The programs train and run models as PyTorch 2.11 does; 'allocsim list programs' shows them",
      "and 'allocsim list programs ID' the options of one. Rows have the times that they would",
      "have on a device with PyTorch's allocator, and uses of other streams end where they would."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim generate gpt -o gpt.jsonl.zst",
      "  allocsim generate gpt --option batch=16 --option checkpoint=true --seed 1 -o"
          + " gpt.jsonl.zst",
      "  allocsim generate pipeline --option ranks=4 --all-ranks -o job"
    })
public final class GenerateCommand implements Callable<Integer> {
  private static final String STANDARD_FORMAT = ".jsonl.zst";
  private static final String RANKS = "ranks";
  private static final String RANK = "rank";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROGRAM", description = "Program to follow.")
  private String program;

  @Option(
      names = "--option",
      paramLabel = "NAME=VALUE",
      description = "Value of one of the program's options; may be given more than once.")
  private List<String> options = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of what the program draws (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--device",
      paramLabel = "PROFILE",
      description =
          "Device by which rows get their times: a name that 'allocsim list devices' shows, or a"
              + " file that 'allocsim calibrate' wrote (default: h100-80gb).",
      converter = ProfileConverter.class)
  private DeviceProfile profile = DeviceProfiles.defaultProfile();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "File to write (default: PROGRAM.jsonl.zst); - is standard output.")
  private String outputName;

  @Option(
      names = "--to",
      paramLabel = "ID",
      description = "Format to write; 'allocsim list formats' shows which can be written.")
  private String to;

  @Option(
      names = "--all-ranks",
      description =
          "Write a file for each rank of a program of several into the folder that --output names"
              + " (default: PROGRAM); other commands take the folder as a job.")
  private boolean allRanks;

  @Override
  public Integer call() throws IOException {
    Map<String, String> values = values();
    if (!allRanks) {
      return write(outputName == null ? program + STANDARD_FORMAT : outputName, values);
    }
    int ranks = ranks(values);
    Path folder = Path.of(outputName == null ? program : outputName);
    Files.createDirectories(folder);
    for (int rank = 0; rank < ranks; rank++) {
      values.put(RANK, Integer.toString(rank));
      write(folder.resolve(program + ".rank" + rank + STANDARD_FORMAT).toString(), values);
    }
    return ExitCodes.DONE;
  }

  /** How many ranks the program has, which must have some. */
  private int ranks(Map<String, String> values) {
    List<ProgramOption> known =
        Programs.find(program).map(ProgramProvider::options).orElse(List.of());
    String count = null;
    for (ProgramOption option : known) {
      if (option.name().equals(RANKS)) {
        count = values.getOrDefault(RANKS, option.standard());
      }
    }
    if (count == null && Programs.find(program).isPresent()) {
      throw Failure.usage(
          "--all-ranks takes a program of several ranks, which " + program + " is not");
    }
    if (values.containsKey(RANK)) {
      throw Failure.usage("--all-ranks writes every rank; leave --option rank out");
    }
    try {
      return Math.max(1, Integer.parseInt(Objects.requireNonNullElse(count, "1")));
    } catch (NumberFormatException e) {
      // The program says what the option takes.
      return 1;
    }
  }

  private int write(String name, Map<String, String> values) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    AllocationTrace trace = trace(values);
    TraceFormat target = WrittenFormat.of(name, to);
    TraceWriter writer = target.writer().orElseThrow();
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output output = outputs.open("--output", name, null);
      List<String> losses = writer.losses(trace, 0);
      try (OutputStream stream =
          Compression.ofName(name).encode(new BufferedOutputStream(output.stream(), 1 << 16))) {
        writer.write(trace, 0, stream);
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        WrappedText.printLine(
            out,
            "%s: %s with %s of program %s as %s%s"
                .formatted(
                    name,
                    Numbers.count(trace.eventCount(), "row"),
                    Numbers.count(trace.allocationCount(), "allocation"),
                    program,
                    target.id(),
                    losses.isEmpty() ? "" : "; lost:"));
        losses.forEach(loss -> WrappedText.printItem(out, "  ", loss));
        out.flush();
      }
    }
    return ExitCodes.DONE;
  }

  private Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    for (String option : options) {
      int sign = option.indexOf('=');
      if (sign < 1) {
        throw Failure.usage("--option " + option + " is not of the form NAME=VALUE");
      }
      values.put(option.substring(0, sign), option.substring(sign + 1));
    }
    return values;
  }

  private AllocationTrace trace(Map<String, String> values) {
    try {
      return Timestamps.onto(Programs.generate(program, values, seed), 0, profile);
    } catch (ProgramOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }
}
