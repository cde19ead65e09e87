package org.allocsim.reports.wing;

import java.util.List;
import org.allocsim.reports.document.Kind;

/**
 * The commands of a wing. Its class is named in the wing's {@code
 * META-INF/services/org.allocsim.reports.wing.CommandProvider} and has a public constructor without
 * parameters.
 *
 * <p>Where a command stands in the program's help, {@code CommandGroup} says: it knows the commands
 * of all wings by name, so that their order does not depend on what is installed and a missing one
 * can be told from a mistyped one. The help of a command is a text of the wing's resources, {@code
 * org/allocsim/reports/cli/help/NAME.txt}.
 */
public interface CommandProvider {
  /** Classes with picocli's annotation {@code Command}. */
  List<Class<?>> commands();

  /** What the commands write as JSON, in the order of {@code list schemas}. */
  List<Kind<?>> kinds();
}
