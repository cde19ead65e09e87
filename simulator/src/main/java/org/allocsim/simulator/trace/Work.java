package org.allocsim.simulator.trace;

/** What a program queues on a stream beside its requests for memory. */
public sealed interface Work {
  /**
   * A kernel of which is known what it computes and moves; a device profile says how long it takes.
   *
   * @param flops arithmetic operations; a multiplication with an addition counts as two
   * @param memoryBytes bytes read from and written to device memory
   * @param precision kind of arithmetic
   */
  record Kernel(long flops, long memoryBytes, Precision precision) implements Work {
    /** Refuses negative amounts. */
    public Kernel {
      requireNatural(flops, "operations");
      requireNatural(memoryBytes, "bytes");
    }
  }

  /** A kernel that takes this long on every GPU. */
  record Timed(long nanos) implements Work {
    /** Refuses negative times. */
    public Timed {
      requireNatural(nanos, "nanoseconds");
    }
  }

  /**
   * A copy between host and device.
   *
   * @param bytes how much is copied
   * @param toDevice whether it goes to the device
   * @param pinned whether the host's memory is page-locked: only then does the copy run beside the
   *     host, else the host waits for it
   */
  record Copy(long bytes, boolean toDevice, boolean pinned) implements Work {
    /** Refuses negative sizes. */
    public Copy {
      requireNatural(bytes, "bytes");
    }
  }

  private static void requireNatural(long amount, String what) {
    if (amount < 0) {
      throw new IllegalArgumentException(amount + " " + what + " of work are less than none");
    }
  }
}
