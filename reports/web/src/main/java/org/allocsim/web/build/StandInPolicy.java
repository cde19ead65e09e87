package org.allocsim.web.build;

import org.teavm.extension.spi.substitution.SubstitutionPolicy;
import org.teavm.extension.spi.substitution.SubstitutionSink;

/**
 * A class of the package {@value #PACKAGE} and those below it takes the place of the one whose name
 * follows the package's.
 */
public final class StandInPolicy implements SubstitutionPolicy {
  static final String PACKAGE = "org.allocsim.web.standin.";

  /** A policy; the compiler makes it. */
  public StandInPolicy() {}

  @Override
  public void contribute(SubstitutionSink sink) {
    sink.selectClasses(name -> !name.startsWith(PACKAGE)).packagePrefix(PACKAGE);
  }
}
