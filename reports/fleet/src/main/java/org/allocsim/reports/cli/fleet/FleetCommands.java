package org.allocsim.reports.cli.fleet;

import java.util.List;
import org.allocsim.reports.answer.fleet.FleetAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.wing.CommandProvider;

/** What the wing adds to the program. */
public final class FleetCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(SweepCommand.class, FleetReportCommand.class);
  }

  @Override
  public List<Kind<?>> kinds() {
    return List.of(FleetAnswer.KIND);
  }
}
