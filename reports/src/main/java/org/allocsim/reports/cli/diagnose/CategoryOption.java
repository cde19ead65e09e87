package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.attribution.CategoryRulesException;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Option;

/** The option that names a file with rules of one's own for what memory is for. */
final class CategoryOption {
  @Option(
      names = "--categories",
      paramLabel = "FILE",
      description =
          "Your own rules, applied first: on each line a category, 'function' or 'file', and a"
              + " regular expression to search in a frame's function or file.")
  private Path file;

  /**
   * The rules.
   *
   * @throws Failure where the file cannot be read or holds no rules
   */
  CategoryRules rules() {
    if (file == null) {
      return CategoryRules.NONE;
    }
    try {
      return CategoryRules.parse(Files.readAllLines(file));
    } catch (CategoryRulesException e) {
      throw new Failure(file + ", " + e.getMessage());
    } catch (IOException e) {
      throw new Failure("cannot read the rules in " + file + ": " + e.getMessage());
    }
  }
}
