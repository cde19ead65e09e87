package org.allocsim.workloads.format;

import java.util.List;

/** A format that always says the same of itself. */
public abstract class DescribedFormat implements TraceFormat {
  private final String id;
  private final String summary;
  private final List<String> extensions;

  /**
   * What it says.
   *
   * @param id name on command lines and in results
   * @param summary what the file is and which program and version writes it, in a line
   * @param extensions endings of the names of plain files, the usual one first
   */
  protected DescribedFormat(String id, String summary, String... extensions) {
    this.id = id;
    this.summary = summary;
    this.extensions = List.of(extensions);
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
  public final List<String> extensions() {
    return extensions;
  }
}
