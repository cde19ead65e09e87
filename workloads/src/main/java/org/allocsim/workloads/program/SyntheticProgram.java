package org.allocsim.workloads.program;

import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.Perturbation;

/**
 * A synthetic program by its seed: mostly random requests, three of twenty training, the same with
 * small changes, and inference.
 *
 * @param name what it is, with the seed
 * @param trace its requests
 * @param limitBytes limit to run it under, so that requests fail or memory is released for them; −1
 *     for none
 */
public record SyntheticProgram(String name, AllocationTrace trace, long limitBytes) {
  private static final long PAGE_BYTES = 2L << 20;

  /** A small model, so that many such programs fit on one GPU. */
  private static final TransformerShape SMALL =
      new TransformerShape("small", 4, 512, 2048, 2, 8, 8_000);

  /** The program of a seed; the same seed makes the same one. */
  public static SyntheticProgram of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch ((int) Math.floorMod(seed, 20L)) {
      case 0 -> limited("training-" + seed, training(random), random);
      case 5 -> {
        Perturbation changes = new Perturbation(true, 0.1, Perturbation.Resize.REQUEST);
        AllocationTrace changed = changes.apply(training(random), 0, random.nextLong());
        yield limited("perturbed-training-" + seed, changed, random);
      }
      case 10 -> limited("serving-" + seed, serving(random), random);
      default -> {
        int events = random.nextInt(20) == 0 ? 10_000 : random.nextInt(200, 2_000);
        yield limited(
            "random-" + seed, new RandomProgram(random.nextLong(), events).trace(), random);
      }
    };
  }

  private static AllocationTrace training(SplittableRandom random) {
    return new FineTuningProgram(
            SMALL,
            random.nextInt(1, 5),
            random.nextInt(1, 5),
            64,
            random.nextInt(64, 512),
            random.nextBoolean(),
            random.nextBoolean(),
            random.nextBoolean(),
            random.nextInt(2, 5),
            random.nextLong())
        .trace();
  }

  private static AllocationTrace serving(SplittableRandom random) {
    KvReservation[] kinds = {
      KvReservation.MAXIMUM, KvReservation.POWER_OF_TWO, KvReservation.ORACLE
    };
    return new ServingProgram(
            kinds[random.nextInt(kinds.length)],
            new TokenLengths(40, 60, 1.14, 512),
            random.nextInt(4, 16) * 1024,
            1L << random.nextInt(12, 18),
            random.nextLong())
        .run(20, random.nextInt(50, 300))
        .trace();
  }

  /** Half the programs get a limit somewhere around what they hold at most. */
  private static SyntheticProgram limited(
      String name, AllocationTrace trace, SplittableRandom random) {
    if (random.nextBoolean()) {
      return new SyntheticProgram(name, trace, -1);
    }
    double share = random.nextDouble(0.5, 1.3);
    long bytes = Math.max(12 * PAGE_BYTES, (long) (peakBytes(trace) * share));
    // Some limits are no whole number of pages.
    return new SyntheticProgram(
        name, trace, random.nextInt(4) == 0 ? bytes : bytes / PAGE_BYTES * PAGE_BYTES);
  }

  private static long peakBytes(AllocationTrace trace) {
    long[] bytes = new long[trace.allocationCount()];
    long live = 0;
    long peak = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      int allocation = trace.allocation(event);
      switch (trace.kind(event)) {
        case ALLOCATE -> {
          bytes[allocation] = trace.bytes(event);
          live += trace.bytes(event);
        }
        case FREE -> live -= bytes[allocation];
        default -> {}
      }
      peak = Math.max(peak, live);
    }
    return peak;
  }
}
