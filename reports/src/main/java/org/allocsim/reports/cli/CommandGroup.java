package org.allocsim.reports.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Help;

/**
 * The commands by what users want of them, those most used first: those of the core and of all
 * wings, by name, whether they are installed or not.
 */
enum CommandGroup {
  /** What a program needs, and what it did: both run it, in Python. */
  RUN("Run a PyTorch program", "estimate", "advise", "record"),
  /** Why a run failed, or where its memory is. */
  DIAGNOSE(
      "Diagnose a run",
      "diagnose",
      "explain-oom",
      "replay",
      "peak",
      "blockers",
      "idle",
      "leaks",
      "diff",
      "account",
      "lint-conf"),
  /** Which settings, which allocator, which GPU. */
  DECIDE(
      "Choose settings, allocator and GPU",
      "tune",
      "min-capacity",
      "colocate",
      "fit",
      "serve",
      "compare",
      "perturb",
      "sweep",
      "fleet-report"),
  /** What is in a file, and what the program knows. */
  LOOK("Look", "view", "inspect", "list"),
  /** Traces from traces, or from a description. */
  CONVERT("Convert and generate traces", "convert", "generate", "transform"),
  /** Whether results hold. */
  PROVE("Validate results", "verify", "check", "validate", "suite", "calibrate", "bench");

  private final String heading;
  private final List<String> commands;

  CommandGroup(String heading, String... commands) {
    this.heading = heading;
    this.commands = List.of(commands);
  }

  /** The names of all commands, in the order of the help. */
  static Stream<String> names() {
    return Arrays.stream(values()).flatMap(group -> group.commands.stream());
  }

  /** The list of commands in the program's help; empty for a program without commands. */
  static String list(Help program) {
    StringBuilder list = new StringBuilder();
    for (CommandGroup group : values()) {
      Map<String, Help> known = new LinkedHashMap<>();
      for (String command : group.commands) {
        Help help = program.subcommands().get(command);
        if (help != null) {
          known.put(command, help);
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
