package org.allocsim.workloads.program;

import java.util.List;

/** A program that always says the same of itself. */
public abstract class DescribedProgram implements ProgramProvider {
  private final String id;
  private final String summary;
  private final List<ProgramOption> options;

  /**
   * What it says.
   *
   * @param id the name by which users ask for it
   * @param summary what it does, in one line
   * @param options its knobs
   */
  protected DescribedProgram(String id, String summary, List<ProgramOption> options) {
    this.id = id;
    this.summary = summary;
    this.options = options;
  }

  @Override
  public final String id() {
    return id;
  }

  @Override
  public final String summary() {
    return summary;
  }

  @Override
  public final List<ProgramOption> options() {
    return options;
  }
}
