package org.allocsim.reports.cli;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.allocsim.reports.cli.convert.ConvertCommand;
import org.allocsim.reports.cli.convert.GenerateCommand;
import org.allocsim.reports.cli.convert.TransformCommand;
import org.allocsim.reports.cli.decide.ColocateCommand;
import org.allocsim.reports.cli.decide.CompareCommand;
import org.allocsim.reports.cli.decide.FitCommand;
import org.allocsim.reports.cli.decide.MinCapacityCommand;
import org.allocsim.reports.cli.decide.PerturbCommand;
import org.allocsim.reports.cli.decide.TuneCommand;
import org.allocsim.reports.cli.diagnose.AccountCommand;
import org.allocsim.reports.cli.diagnose.BlockersCommand;
import org.allocsim.reports.cli.diagnose.DiagnoseCommand;
import org.allocsim.reports.cli.diagnose.DiffCommand;
import org.allocsim.reports.cli.diagnose.ExplainOomCommand;
import org.allocsim.reports.cli.diagnose.LeaksCommand;
import org.allocsim.reports.cli.diagnose.LintConfCommand;
import org.allocsim.reports.cli.diagnose.PeakCommand;
import org.allocsim.reports.cli.diagnose.ReplayCommand;
import org.allocsim.reports.cli.look.InspectCommand;
import org.allocsim.reports.cli.look.ListCommand;
import org.allocsim.reports.cli.look.ViewCommand;
import org.allocsim.reports.cli.prove.BenchCommand;
import org.allocsim.reports.cli.prove.CheckCommand;
import org.allocsim.reports.cli.prove.VerifyCommand;
import org.allocsim.reports.cli.run.AdviseCommand;
import org.allocsim.reports.cli.run.EstimateCommand;
import org.allocsim.reports.cli.run.RecordCommand;
import org.allocsim.reports.wing.Wings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The classes of the commands of this installation. */
final class Commands {
  private Commands() {}

  /**
   * A command of the core; null where it has none of this name. A start is to load the class of its
   * own command only.
   */
  private static @Nullable Class<?> ofCore(String name) {
    return switch (name) {
      case "estimate" -> EstimateCommand.class;
      case "advise" -> AdviseCommand.class;
      case "record" -> RecordCommand.class;
      case "diagnose" -> DiagnoseCommand.class;
      case "explain-oom" -> ExplainOomCommand.class;
      case "replay" -> ReplayCommand.class;
      case "peak" -> PeakCommand.class;
      case "blockers" -> BlockersCommand.class;
      case "leaks" -> LeaksCommand.class;
      case "diff" -> DiffCommand.class;
      case "account" -> AccountCommand.class;
      case "lint-conf" -> LintConfCommand.class;
      case "tune" -> TuneCommand.class;
      case "min-capacity" -> MinCapacityCommand.class;
      case "colocate" -> ColocateCommand.class;
      case "fit" -> FitCommand.class;
      case "compare" -> CompareCommand.class;
      case "perturb" -> PerturbCommand.class;
      case "view" -> ViewCommand.class;
      case "inspect" -> InspectCommand.class;
      case "list" -> ListCommand.class;
      case "convert" -> ConvertCommand.class;
      case "generate" -> GenerateCommand.class;
      case "transform" -> TransformCommand.class;
      case "verify" -> VerifyCommand.class;
      case "check" -> CheckCommand.class;
      case "bench" -> BenchCommand.class;
      default -> null;
    };
  }

  /** The commands of the wings, by name. */
  private static Map<String, Class<?>> ofWings() {
    Map<String, Class<?>> commands = new HashMap<>();
    Wings.commands().forEach(command -> commands.put(nameOf(command), command));
    return commands;
  }

  /**
   * The command of a name; empty where there is none.
   *
   * @throws org.allocsim.reports.output.Failure where the command belongs to a wing that is not
   *     installed
   */
  static Optional<Class<?>> named(String name) {
    Class<?> command = ofCore(name);
    if (command == null && CommandGroup.names().anyMatch(name::equals)) {
      command = ofWings().get(name);
      if (command == null) {
        throw Wings.missing(name);
      }
    }
    return Optional.ofNullable(command);
  }

  /** All that are installed, by name in the order of the help. */
  static Map<String, Class<?>> installed() {
    Map<String, Class<?>> wings = ofWings();
    Map<String, Class<?>> installed = new LinkedHashMap<>();
    CommandGroup.names()
        .forEach(name -> {
          Class<?> command = ofCore(name);
          command = command == null ? wings.get(name) : command;
          if (command != null) {
            installed.put(name, command);
          }
        });
    return installed;
  }

  /** The name of a command on the command line. */
  static String nameOf(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }
}
