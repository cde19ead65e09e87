package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.moment.CheckQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
public final class CheckCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
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

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    CheckQuestion question =
        new CheckQuestion(
            maxReservedBytes,
            maxAllocatedBytes,
            maxRequestedBytes,
            maxSlack == null ? null : maxSlack::bytesOf,
            noOom);
    return programOptions.asking(outputOptions).ask(question, traceName);
  }
}
