package org.allocsim.reports.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.reports.cli.convert.ConvertCommand;
import org.allocsim.reports.cli.convert.GenerateCommand;
import org.allocsim.reports.cli.convert.TransformCommand;
import org.allocsim.reports.cli.decide.CompareCommand;
import org.allocsim.reports.cli.decide.FitCommand;
import org.allocsim.reports.cli.decide.FleetReportCommand;
import org.allocsim.reports.cli.decide.MinCapacityCommand;
import org.allocsim.reports.cli.decide.PerturbCommand;
import org.allocsim.reports.cli.decide.ServeCommand;
import org.allocsim.reports.cli.decide.ShareCommand;
import org.allocsim.reports.cli.decide.SweepCommand;
import org.allocsim.reports.cli.decide.TuneCommand;
import org.allocsim.reports.cli.diagnose.AccountCommand;
import org.allocsim.reports.cli.diagnose.DiagnoseCommand;
import org.allocsim.reports.cli.diagnose.DiffCommand;
import org.allocsim.reports.cli.diagnose.ExplainOomCommand;
import org.allocsim.reports.cli.diagnose.LeaksCommand;
import org.allocsim.reports.cli.diagnose.LintConfCommand;
import org.allocsim.reports.cli.diagnose.PeakCommand;
import org.allocsim.reports.cli.diagnose.PinsCommand;
import org.allocsim.reports.cli.diagnose.ReplayCommand;
import org.allocsim.reports.cli.look.InspectCommand;
import org.allocsim.reports.cli.look.ListCommand;
import org.allocsim.reports.cli.look.ViewCommand;
import org.allocsim.reports.cli.prove.BenchCommand;
import org.allocsim.reports.cli.prove.CalibrateCommand;
import org.allocsim.reports.cli.prove.CheckCommand;
import org.allocsim.reports.cli.prove.SuiteCommand;
import org.allocsim.reports.cli.prove.ValidateCommand;
import org.allocsim.reports.cli.prove.VerifyCommand;
import org.allocsim.reports.cli.run.AdviseCommand;
import org.allocsim.reports.cli.run.EstimateCommand;
import org.allocsim.reports.cli.run.RecordCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;

/** The commands by what users want of them, those most used first. */
enum CommandGroup {
  /** What a program needs, and what it did: both run it, in Python. */
  RUN("Run a PyTorch program", EstimateCommand.class, AdviseCommand.class, RecordCommand.class),
  /** Why a run failed, or where its memory is. */
  DIAGNOSE(
      "Diagnose a run",
      DiagnoseCommand.class,
      ExplainOomCommand.class,
      ReplayCommand.class,
      PeakCommand.class,
      PinsCommand.class,
      LeaksCommand.class,
      DiffCommand.class,
      AccountCommand.class,
      LintConfCommand.class),
  /** Which settings, which allocator, which GPU. */
  DECIDE(
      "Choose settings, allocator and GPU",
      TuneCommand.class,
      MinCapacityCommand.class,
      ShareCommand.class,
      FitCommand.class,
      ServeCommand.class,
      CompareCommand.class,
      PerturbCommand.class,
      SweepCommand.class,
      FleetReportCommand.class),
  /** What is in a file, and what the program knows. */
  LOOK("Look", ViewCommand.class, InspectCommand.class, ListCommand.class),
  /** Traces from traces, or from a description. */
  CONVERT(
      "Convert and generate traces",
      ConvertCommand.class,
      GenerateCommand.class,
      TransformCommand.class),
  /** Whether results hold. */
  PROVE(
      "Validate results",
      VerifyCommand.class,
      CheckCommand.class,
      ValidateCommand.class,
      SuiteCommand.class,
      CalibrateCommand.class,
      BenchCommand.class);

  private final String heading;
  private final List<Class<?>> commands;

  CommandGroup(String heading, Class<?>... commands) {
    this.heading = heading;
    this.commands = List.of(commands);
  }

  /** The commands of all groups, in the order of the help. */
  static Stream<Class<?>> all() {
    return Arrays.stream(values()).flatMap(group -> group.commands.stream());
  }

  /** The name of a command on the command line. */
  static String nameOf(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  /** The list of commands in the program's help; empty for a program without commands. */
  static String list(Help program) {
    StringBuilder list = new StringBuilder();
    for (CommandGroup group : values()) {
      Map<String, Help> known = new LinkedHashMap<>();
      for (Class<?> command : group.commands) {
        Help help = program.subcommands().get(nameOf(command));
        if (help != null) {
          known.put(nameOf(command), help);
        }
      }
      if (!known.isEmpty()) {
        list.append(program.createHeading("%n" + group.heading + ":%n"));
        list.append(program.commandList(known));
      }
    }
    return list.toString();
  }
}
