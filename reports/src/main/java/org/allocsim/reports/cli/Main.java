package org.allocsim.reports.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.reports.cli.option.PluginOption;
import org.allocsim.reports.output.Conversation;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.output.StandardOutput;
import org.allocsim.reports.output.Terminals;
import org.allocsim.reports.text.TerminalWriter;
import org.allocsim.workloads.io.EarlyEnd;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code allocsim}. */
@Command(
    name = "allocsim",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Simulates GPU memory allocators on recorded programs: record a run once, and see what its",
      "allocator did, to the byte, and what it would have done under other settings."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:a check failed",
      "10-20:verdicts of explain-oom, listed in its help"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim estimate -- python train.py",
      "  allocsim record -- python train.py",
      "  allocsim inspect snapshot.pickle",
      "  allocsim replay snapshot.pickle --memory-fraction 0.9 --chart memory.svg",
      "  allocsim verify snapshot.pickle",
      "  allocsim tune snapshot.pickle --capacity 24GiB",
      "  allocsim explain-oom train.log",
      "",
      "Without 'record', a snapshot comes from PyTorch itself: call",
      "torch.cuda.memory._record_memory_history() before the work and",
      "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") after it."
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  Main() {}

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "no command given; try estimate, record, diagnose or replay");
  }

  /** Runs the command line; the process ends with its exit code. */
  public static void main(String[] args) {
    // Numbers and names are written alike everywhere.
    Locale.setDefault(Locale.ROOT);
    // A chart needs no screen, and must not look for one.
    System.setProperty("java.awt.headless", "true");
    // Nor is there Groovy, for which picocli would look through every jar of the program.
    System.setProperty("picocli.disable.closures", "true");
    // No option is a date or a time, whose classes picocli would make ready.
    System.setProperty("picocli.converters.excludes", "java[.](time|sql)[.].*");
    PrintWriter out = new TerminalWriter(StandardOutput.ofProcess(), Terminals.columns());
    PrintWriter err =
        new PrintWriter(
            new OutputStreamWriter(
                new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8));
    boolean debug = "1".equals(System.getenv(FailureReport.DEBUG_VARIABLE));
    int exitCode =
        args.length == 1 && args[0].equals(Conversation.ARGUMENT)
            ? hold(err, debug)
            : run(out, err, debug, args);
    // To exit, Java looks for a logger in every jar, which nobody has set up.
    if (exitCode != ExitCodes.DONE) {
      System.exit(exitCode);
    }
  }

  private static int hold(PrintWriter err, boolean debug) {
    try {
      return new Conversation((out, said, asked) -> run(out, said, debug, asked))
          .hold(System.in, new FileOutputStream(FileDescriptor.out));
    } catch (IOException failure) {
      return FailureReport.print(failure, err, debug);
    }
  }

  /** Runs the command line with the given outputs, flushes them and returns the exit code. */
  static int run(PrintWriter out, PrintWriter err, boolean debug, String... args) {
    int exitCode;
    try {
      String[] asked = ValidateWords.withSubject(withoutHelpWord(FormerNames.replaced(args)));
      exitCode = PluginOption.within(asked, () -> execute(out, err, debug, asked));
      out.flush();
    } catch (Failure failure) {
      exitCode = FailureReport.print(failure, err, debug);
    }
    if (EarlyEnd.isAsked()) {
      err.println("allocsim: stopped by a signal; results finished so far are kept.");
      exitCode = ExitCodes.FAILED;
    }
    err.flush();
    EarlyEnd.finish();
    return exitCode;
  }

  /** {@code help replay} is {@code replay --help}. */
  private static String[] withoutHelpWord(String[] args) {
    if (args.length == 0 || !args[0].equals("help")) {
      return args;
    }
    String[] named = Arrays.copyOfRange(args, 1, args.length);
    if (named.length > 0 && command(named).isEmpty()) {
      // An unknown command is refused by name.
      return named;
    }
    String[] asked = Arrays.copyOf(named, named.length + 1);
    asked[named.length] = "--help";
    return asked;
  }

  private static int execute(PrintWriter out, PrintWriter err, boolean debug, String... args) {
    CommandLine commandLine =
        asksForVersion(args)
            ? withNone()
            : command(args).map(Main::withOnly).orElseGet(Main::withAll);
    commandLine.getCommandSpec().addOption(PluginOption.option());
    commandLine.setOut(out).setErr(err);
    Converters.register(commandLine);
    commandLine.setAbbreviatedOptionsAllowed(false);
    commandLine.setOverwrittenOptionsAllowed(false);
    commandLine.setExpandAtFiles(false);
    commandLine.setUsageHelpWidth(100);
    commandLine.setParameterExceptionHandler((failure, _) -> wrongUsage(failure, err));
    commandLine.setExecutionStrategy(Main::lastCommand);
    commandLine.setExecutionExceptionHandler(
        (failure, _, _) -> FailureReport.print(failure, err, debug));
    HelpText.addTo(commandLine, Arrays.asList(args));
    try {
      return commandLine.execute(args);
    } catch (Error failure) {
      return FailureReport.print(failure, err, debug);
    }
  }

  /** Help that cannot be printed is a failure like any other; an unknown command has none. */
  private static int lastCommand(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    CommandLine command = last.commandSpec().commandLine();
    if (!command.getSubcommands().isEmpty() && !last.unmatched().isEmpty()) {
      throw new UnmatchedArgumentException(command, last.unmatched());
    }
    try {
      return new RunLast().execute(parsed);
    } catch (Failure failure) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), "", failure);
    }
  }

  /** The command that the first argument names; empty where it is none. */
  private static Optional<Class<?>> command(String[] args) {
    if (args.length == 0) {
      return Optional.empty();
    }
    return Commands.named(args[0]);
  }

  static CommandLine withAll() {
    CommandLine program = new CommandLine(new Main());
    Commands.installed().forEach(program::addSubcommand);
    program.getSubcommands().values().forEach(Main::complete);
    program.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
    program.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroup::list);
    return program;
  }

  /** The program with one command: to look at the options of all takes longer than a short one. */
  private static CommandLine withOnly(Class<?> command) {
    CommandLine line = withNone().addSubcommand(Commands.nameOf(command), command);
    line.getSubcommands().values().forEach(Main::complete);
    return line;
  }

  /** The program as such. */
  private static CommandLine withNone() {
    CommandSpec program = CommandSpec.create().name(Commands.nameOf(Main.class));
    program.mixinStandardHelpOptions(true).versionProvider(new Version());
    return new CommandLine(program);
  }

  private static boolean asksForVersion(String[] args) {
    return args.length == 1 && (args[0].equals("--version") || args[0].equals("-V"));
  }

  /** Adds what all commands have in common, with those below it. */
  private static void complete(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    // Commands that are methods have their own, by whose place picocli finds their parameters.
    if (!spec.mixinStandardHelpOptions()) {
      spec.mixinStandardHelpOptions(true);
    }
    spec.usageMessage().sortOptions(false);
    command.getSubcommands().values().forEach(Main::complete);
  }

  private static int wrongUsage(ParameterException failure, PrintWriter err) {
    err.println("allocsim: " + FailureReport.oneLine(UsageText.sentence(failure)));
    err.flush();
    return ExitCodes.USAGE;
  }
}
