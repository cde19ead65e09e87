package org.allocsim.analysis.oom.engine;

/**
 * An option of an engine that would have helped.
 *
 * @param option as it is written on the command line, or the variable of the environment
 * @param value what it should be, as it is written, or by how much it should change
 * @param reason what it changes, in a clause
 */
public record EngineChange(String option, String value, String reason) {
  /** For people. */
  public String sentence() {
    return option + " " + value + ": " + reason;
  }
}
