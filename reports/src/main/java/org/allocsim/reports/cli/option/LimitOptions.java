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
          "Fraction of the device that the allocator may reserve, in (0, 1]; snapshots do not"
              + " record set_per_process_memory_fraction() (default: per_process_memory_fraction of"
              + " the settings, otherwise no limit).",
      converter = FractionConverter.class)
  private Double fraction;

  @Option(
      names = "--memory-limit",
      paramLabel = "SIZE",
      description = "The same limit as a size, such as 24GiB.",
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
