package org.allocsim.reports.cli.convert;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.PlainOutputs;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.recording.GenerateQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.Programs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim generate}: the trace of a program that was never run. */
@Command(
    name = "generate",
    description = "Writes the GPU memory requests that a program would make.")
public final class GenerateCommand implements Callable<Integer> {
  private static final String STANDARD_FORMAT = ".jsonl.zst";
  private static final String RANKS = "ranks";
  private static final String RANK = "rank";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROGRAM")
  private String program;

  @Option(names = "--option", paramLabel = "NAME=VALUE")
  private List<String> options = List.of();

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1")
  private long seed;

  @Option(names = "--device", paramLabel = "PROFILE", converter = ProfileConverter.class)
  private DeviceProfile profile = DeviceProfiles.defaultProfile();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE")
  private String outputName;

  @Option(names = "--to", paramLabel = "ID")
  private String to;

  @Option(names = "--all-ranks")
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
      throw Failure.usage("--all-ranks needs a multi-rank program, which " + program + " is not");
    }
    if (values.containsKey(RANK)) {
      throw Failure.usage("--all-ranks writes every rank; omit --option rank");
    }
    try {
      return Math.max(1, Integer.parseInt(Objects.requireNonNullElse(count, "1")));
    } catch (NumberFormatException e) {
      // The program says what the option takes.
      return 1;
    }
  }

  private int write(String name, Map<String, String> values) throws IOException {
    return new Asking(new PlainOutputs(spec), null, Conditions.RECORDED)
        .ask(new GenerateQuestion(program, values, seed, profile, name, to), List.of());
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
}
