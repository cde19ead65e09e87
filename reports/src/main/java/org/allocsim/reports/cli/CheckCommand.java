package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.LimitCheck;
import org.allocsim.reports.answer.moment.MomentText;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.text.WrappedText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim check}: does a program keep its limits? */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Holds a program against limits, for continuous integration.",
      "Prints one line for each limit; exit code 3 if one is not kept. A figure that equals its",
      "limit keeps it."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every limit is kept",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:a limit is not kept"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim check snapshot.pickle --max-reserved 22GiB --max-slack 10%%",
      "  allocsim check snapshot.pickle --no-oom --capacity 24GiB",
      "  allocsim check snapshot.pickle --max-allocated 18GiB --json check.json"
    })
final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE)
  private String traceName;

  @Option(
      names = "--max-reserved",
      paramLabel = "SIZE",
      description = "Maximum memory that may be reserved, such as 22GiB.",
      converter = SizeConverter.class)
  private Long maxReservedBytes;

  @Option(
      names = "--max-allocated",
      paramLabel = "SIZE",
      description = "Maximum memory that may be allocated.",
      converter = SizeConverter.class)
  private Long maxAllocatedBytes;

  @Option(
      names = "--max-requested",
      paramLabel = "SIZE",
      description = "Maximum memory that the program may hold, before rounding.",
      converter = SizeConverter.class)
  private Long maxRequestedBytes;

  @Option(
      names = "--max-slack",
      paramLabel = "SIZE|PERCENT",
      description =
          "Maximum memory that may be reserved and not allocated when reserved memory first reaches"
              + " its peak, such as 2GiB, or 10%% of what is reserved then.",
      converter = ShareOrSize.Converter.class)
  private ShareOrSize maxSlack;

  @Option(names = "--no-oom", description = "No request may fail.")
  private boolean noOom;

  @Mixin private ProgramOptions programOptions;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results as JSON; - is standard output.")
  private String jsonName;

  @Override
  public Integer call() throws IOException {
    if (maxReservedBytes == null
        && maxAllocatedBytes == null
        && maxRequestedBytes == null
        && maxSlack == null
        && !noOom) {
      throw Failure.usage(
          "check without a limit checks nothing; give --max-reserved, --max-allocated,"
              + " --max-requested, --max-slack or --no-oom");
    }
    PrintWriter out = spec.commandLine().getOut();
    Path file = Traces.file(traceName);
    List<LimitCheck> checks;
    try (OutputFiles outputs = new OutputFiles(out)) {
      OutputFiles.Output json = outputs.openIfGiven("--json", jsonName, file);
      ReplayedProgram program = ReplayedProgram.replay(traceName, programOptions);
      checks = checks(program);
      if (json != null) {
        JsonText.write(JsonDocument.CHECK.of(toMap(program, checks)), json.stream());
      }
      outputs.commit();
      if (!outputs.takesStandardOutput()) {
        checks.forEach(
            check -> WrappedText.printField(out, check.holds() ? "ok    " : "FAIL  ", text(check)));
        out.flush();
      }
    }
    return checks.stream().allMatch(LimitCheck::holds)
        ? ExitCodes.DONE
        : ExitCodes.CHECK_DID_NOT_HOLD;
  }

  private List<LimitCheck> checks(ReplayedProgram program) {
    Landmarks landmarks = program.landmarks().orElseThrow();
    List<LimitCheck> checks = new ArrayList<>();
    add(checks, "reserved", landmarks.peakReservedBytes(), maxReservedBytes);
    add(checks, "allocated", landmarks.peakAllocatedBytes(), maxAllocatedBytes);
    add(checks, "requested", landmarks.peakRequestedBytes(), maxRequestedBytes);
    if (maxSlack != null) {
      MemoryMoment peak = program.at(MomentQuery.of(MomentQuery.Kind.PEAK_RESERVED));
      add(
          checks,
          "slack",
          peak.bytes().slackBytes(),
          maxSlack.bytesOf(peak.bytes().reservedBytes()));
    }
    if (noOom) {
      checks.add(new LimitCheck("failed requests", landmarks.failures(), 0, false));
    }
    return checks;
  }

  private static void add(
      List<LimitCheck> checks, String subject, long actualBytes, Long limitBytes) {
    if (limitBytes != null) {
      checks.add(new LimitCheck(subject, actualBytes, limitBytes, true));
    }
  }

  private static String text(LimitCheck check) {
    return check.subject()
        + ": "
        + figure(check, check.actual())
        + ", at most "
        + figure(check, check.limit())
        + (check.holds() ? "" : "; over by " + figure(check, check.actual() - check.limit()));
  }

  private static String figure(LimitCheck check, long value) {
    return check.isSize() ? Numbers.bytes(value) : Numbers.count(value);
  }

  private static Map<String, Object> toMap(ReplayedProgram program, List<LimitCheck> checks) {
    Map<String, Object> map = MomentText.headerMap(program);
    map.put("holds", checks.stream().allMatch(LimitCheck::holds));
    List<Object> list = new ArrayList<>();
    for (LimitCheck check : checks) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("subject", check.subject());
      entry.put("actual", check.actual());
      entry.put("limit", check.limit());
      entry.put("unit", check.isSize() ? "bytes" : "requests");
      entry.put("holds", check.holds());
      list.add(entry);
    }
    map.put("checks", list);
    return map;
  }
}
