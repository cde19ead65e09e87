package org.allocsim.reports.cli.serving;

import java.util.List;
import org.allocsim.reports.answer.serving.ServeAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.wing.CommandProvider;

/** What the wing adds to the program. */
public final class ServingCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(ServeCommand.class);
  }

  @Override
  public List<Kind<?>> kinds() {
    return List.of(ServeAnswer.KIND);
  }
}
