package org.allocsim.workloads.program;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.service.Services;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.typed.SimilarName;

/** The programs that are known. */
public final class Programs {
  private static final Services<ProgramProvider> KNOWN =
      new Services<>(ProgramProvider.class, ProgramProvider::id);

  private Programs() {}

  /** All programs by name. */
  public static List<ProgramProvider> all() {
    return KNOWN.all();
  }

  /** The program of this name. */
  public static Optional<ProgramProvider> find(String id) {
    return KNOWN.named(id);
  }

  /** The id that an unknown one may have meant, or all ids: the end of a sentence. */
  public static String remedy(String unknown) {
    List<String> ids = all().stream().map(ProgramProvider::id).toList();
    return SimilarName.remedy(unknown, ids, "there are " + String.join(", ", ids));
  }

  /**
   * The program of this name.
   *
   * @throws ProgramOptionException where there is none
   */
  public static ProgramProvider require(String id) {
    return find(id)
        .orElseThrow(
            () -> new ProgramOptionException("unknown program: %s; %s".formatted(id, remedy(id))));
  }

  /**
   * What a program asks of its allocators.
   *
   * @throws ProgramOptionException for an unknown program or values that make none
   */
  public static AllocationTrace generate(String id, Map<String, String> options, long seed) {
    ProgramProvider program = require(id);
    if (seed < 0) {
      throw new ProgramOptionException("seed " + seed + " is negative; give a seed of at least 0");
    }
    return program.generate(new ProgramValues(id, program.options(), options), seed);
  }
}
