package org.allocsim.reports.cli.option;

import java.util.Objects;
import org.allocsim.analysis.program.Conditions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The allocator's own limit: a share of the device or a size, one of them. */
public final class LimitOptions {
  @Option(
      names = "--memory-fraction",
      paramLabel = "F",
      description =
          "Share of the device that the allocator may reserve, above 0 and up to 1; a snapshot"
              + " does not hold what the program gave to set_per_process_memory_fraction()"
              + " (default: per_process_memory_fraction of the settings, else no limit).",
      converter = FractionConverter.class)
  private Double fraction;

  @Option(
      names = "--memory-limit",
      paramLabel = "SIZE",
      description = "The same in bytes or with a unit, such as 24GiB.",
      converter = SizeConverter.class)
  private Long bytes;

  /** The share, from above 0 to 1; null where a size was given. */
  public @Nullable Double fraction() {
    return fraction;
  }

  /** The size; null where a share was given. */
  public @Nullable Long bytes() {
    return bytes;
  }

  /** What was given. */
  Conditions.Limit limit() {
    return bytes != null
        ? new Conditions.Limit.Size(bytes)
        : new Conditions.Limit.Fraction(Objects.requireNonNull(fraction));
  }
}
