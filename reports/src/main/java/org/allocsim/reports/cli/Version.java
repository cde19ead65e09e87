package org.allocsim.reports.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of this build. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {
      "allocsim " + (version == null ? "(development build)" : version), "Java " + Runtime.version()
    };
  }
}
