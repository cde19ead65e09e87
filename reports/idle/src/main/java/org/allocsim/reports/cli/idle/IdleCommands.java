package org.allocsim.reports.cli.idle;

import java.util.List;
import org.allocsim.reports.answer.idle.IdleAnswer;
import org.allocsim.reports.answer.idle.IdleRanksAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.wing.CommandProvider;

/** What the wing adds to the program. */
public final class IdleCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(IdleCommand.class);
  }

  @Override
  public List<Kind<?>> kinds() {
    return List.of(IdleAnswer.KIND, IdleRanksAnswer.KIND);
  }
}
