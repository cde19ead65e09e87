package org.allocsim.reports.output;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class TerminalsTest {
  @Test
  @SuppressWarnings("SystemConsoleNull") // JDK 25 again returns null without a terminal.
  void withoutAConsoleNobodyLooks() {
    assumeTrue(System.console() == null, "left out: these tests run on a terminal");
    assertFalse(Terminals.isErrorTerminal());
  }

  @Test
  void aDumbTerminalShowsNoProgress() {
    assertTrue(Terminals.isDumb("dumb"));
    assertFalse(Terminals.isDumb("xterm-256color"));
    assertFalse(Terminals.isDumb(null));
  }
}
