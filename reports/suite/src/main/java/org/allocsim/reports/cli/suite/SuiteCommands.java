package org.allocsim.reports.cli.suite;

import java.util.List;
import org.allocsim.reports.answer.suite.SuiteAnswer;
import org.allocsim.reports.answer.suite.SuiteScoresAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.wing.CommandProvider;

/** What the wing adds to the program. */
public final class SuiteCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(SuiteCommand.class);
  }

  @Override
  public List<Kind<?>> kinds() {
    return List.of(SuiteAnswer.KIND, SuiteScoresAnswer.KIND);
  }
}
