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

  /**
   * A message among ranks of a job, one on each GPU; the device profile says how fast links are. It
   * runs beside kernels.
   *
   * @param pattern who gets what
   * @param bytes the whole message: what is summed, what all have in the end, or what one sends
   * @param ranks how many take part, this one included
   * @param peer of a message between two of them the other one, {@value #EVERYONE} else
   */
  record Collective(Pattern pattern, long bytes, int ranks, int peer) implements Work {
    /** Peer of a message in which all ranks take part. */
    public static final int EVERYONE = -1;

    /** Who gets what. */
    public enum Pattern {
      /** Everyone gets the sum. */
      ALL_REDUCE,
      /** Everyone gets everyone's part. */
      ALL_GATHER,
      /** Everyone gets a part of the sum. */
      REDUCE_SCATTER,
      /** Everyone gets what one has. */
      BROADCAST,
      /** Everyone gets a part of what each has. */
      ALL_TO_ALL,
      /** One other gets what this one has. */
      SEND,
      /** This one gets what one other has. */
      RECEIVE;

      /** Whether only two ranks take part. */
      public boolean isBetweenTwo() {
        return this == SEND || this == RECEIVE;
      }
    }

    /** A message in which all ranks take part. */
    public Collective(Pattern pattern, long bytes, int ranks) {
      this(pattern, bytes, ranks, EVERYONE);
    }

    /** Refuses negative sizes, messages among nobody, and peers that are none. */
    public Collective {
      requireNatural(bytes, "bytes");
      if (ranks < 1) {
        throw new IllegalArgumentException(
            ranks + " ranks of a collective: at least one is needed");
      }
      if (peer < EVERYONE || peer >= ranks || !pattern.isBetweenTwo() && peer != EVERYONE) {
        throw new IllegalArgumentException(
            peer + " is not a peer of " + pattern + " among " + ranks);
      }
    }
  }

  private static void requireNatural(long amount, String what) {
    if (amount < 0) {
      throw new IllegalArgumentException(amount + " " + what + " of work is negative");
    }
  }
}
