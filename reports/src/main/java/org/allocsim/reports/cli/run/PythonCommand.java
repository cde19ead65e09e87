package org.allocsim.reports.cli.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * A command of the Python package, which answers it before this program starts. Here it is for
 * help, completions and suggestions; who reaches it has no Python package.
 */
abstract class PythonCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  /** Takes options and program, which Python reads. */
  @SuppressWarnings("UnusedVariable") // picocli fills it
  @Unmatched
  private List<String> arguments = new ArrayList<>();

  PythonCommand() {}

  @Override
  public Integer call() throws IOException {
    throw needsPython();
  }

  /** Says how to get the command that runs programs. */
  final Failure needsPython() {
    return new Failure(
        "%s needs the Python package; run 'pip install allocsim', or use ./allocsim in a checkout"
            .formatted(spec.name()));
  }

  /** What was given that this program does not take. */
  final List<String> others() {
    return arguments;
  }
}
