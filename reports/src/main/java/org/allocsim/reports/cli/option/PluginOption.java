package org.allocsim.reports.cli.option;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.plugin.PluginException;
import org.allocsim.reports.plugin.PluginLoader;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ScopeType;

/**
 * The option {@code --plugins}, which every command takes. Its folder is looked for before the
 * command line is read, because what other options may name depends on it.
 */
public final class PluginOption {
  /** Environment variable that names the folder where the option does not. */
  public static final String VARIABLE = "ALLOCSIM_PLUGINS";

  private static final String NAME = "--plugins";

  private PluginOption() {}

  /** The option, for the program and all its commands. */
  public static OptionSpec option() {
    return OptionSpec.builder(NAME)
        .paramLabel("DIR")
        .type(Path.class)
        .scopeType(ScopeType.INHERIT)
        .description(
            "Folder of jars with additional policies, trace formats and programs (default: the one"
                + " in "
                + VARIABLE
                + ").")
        .build();
  }

  /**
   * Runs a command that knows the plugins which its arguments or the environment name.
   *
   * @throws Failure where they cannot be used
   */
  public static int within(String[] args, IntSupplier command) {
    Optional<String> folder = folder(args, System.getenv());
    if (folder.isEmpty()) {
      return command.getAsInt();
    }
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    try (PluginLoader plugins = PluginLoader.open(Path.of(folder.get()))) {
      thread.setContextClassLoader(plugins);
      return command.getAsInt();
    } catch (PluginException | InvalidPathException e) {
      throw new Failure(NAME + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new Failure(NAME + ": " + FailureReport.describe(e), e);
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  /** The folder that arguments or else the environment name; the arguments' errors come later. */
  public static Optional<String> folder(String[] args, Map<String, String> environment) {
    for (int i = 0; i < args.length && !args[i].equals("--"); i++) {
      if (args[i].equals(NAME) && i + 1 < args.length) {
        return Optional.of(args[i + 1]);
      }
      if (args[i].startsWith(NAME + "=")) {
        return Optional.of(args[i].substring(NAME.length() + 1));
      }
    }
    return Optional.ofNullable(environment.get(VARIABLE)).filter(name -> !name.isBlank());
  }
}
