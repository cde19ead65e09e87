package org.allocsim.reports.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code allocsim}. */
@Command(name = "allocsim", mixinStandardHelpOptions = true, version = "allocsim 0.1.0")
public final class Main implements Runnable {
  private Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public void run() {
    System.out.println(JsonMapper.shared().writeValueAsString(java.util.Map.of("a", 1)));
  }
}
