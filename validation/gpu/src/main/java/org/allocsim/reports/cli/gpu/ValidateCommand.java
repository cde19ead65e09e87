package org.allocsim.reports.cli.gpu;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code allocsim validate}: the simulation against what really allocates. */
@Command(
    name = "validate",
    synopsisSubcommandLabel = "{gpu|pytorch|together|cache}",
    subcommands = {
      ValidateGpuCommand.class,
      ValidatePyTorchCommand.class,
      ValidateTogetherCommand.class,
      ValidateCacheCommand.class
    },
    description = "Runs allocators on a real NVIDIA GPU and on a simulated one, and compares them.")
public final class ValidateCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "no subcommand given; try gpu, pytorch, together or cache");
  }
}
