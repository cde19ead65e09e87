package org.allocsim.analysis.fleet.sweep;

import java.io.Serializable;
import java.util.Comparator;

/**
 * A file of a fleet.
 *
 * @param name its name as it stands in results
 * @param bytes its size as stored
 * @param modifiedMillis when it was last written, in milliseconds since 1970
 */
public record FleetFile(String name, long bytes, long modifiedMillis) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The order of rows. */
  public static final Comparator<FleetFile> BY_NAME = Comparator.comparing(FleetFile::name);

  /** The order in which work is begun: what takes longest first. */
  public static final Comparator<FleetFile> LARGEST_FIRST =
      Comparator.comparingLong(FleetFile::bytes).reversed().thenComparing(BY_NAME);
}
