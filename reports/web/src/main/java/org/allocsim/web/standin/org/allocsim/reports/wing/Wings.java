package org.allocsim.web.standin.org.allocsim.reports.wing;

import java.util.Optional;
import org.allocsim.reports.wing.IdleTime;

/** The engine of a page is the core alone. */
public final class Wings {
  private Wings() {}

  /** None: profiles are asked about with the program. */
  public static Optional<IdleTime> idleTime() {
    return Optional.empty();
  }
}
