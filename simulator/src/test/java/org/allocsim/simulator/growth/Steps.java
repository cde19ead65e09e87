package org.allocsim.simulator.growth;

import java.lang.reflect.Array;

/** Counts what instrumented code does: branches, calls, and elements of arrays that it makes. */
public final class Steps {
  /** Elements of an array that are made or copied in about the time of a step. */
  private static final int ELEMENTS_OF_A_STEP = 16;

  private static long count;
  private static long most = Long.MAX_VALUE;

  /** More steps were taken than were allowed. */
  public static final class Exceeded extends Error {
    private static final long serialVersionUID = 1L;

    Exceeded() {
      super("more steps than allowed", null, false, false);
    }
  }

  private Steps() {}

  /** Begins to count. */
  public static void start(long maxSteps) {
    count = 0;
    most = maxSteps;
  }

  /** Stops counting and answers the steps since the start. */
  public static long stop() {
    most = Long.MAX_VALUE;
    return count;
  }

  /** A branch or a call. */
  public static void step() {
    if (++count > most) {
      throw new Exceeded();
    }
  }

  /** An array that was made. */
  public static void made(Object array) {
    count += Array.getLength(array) / ELEMENTS_OF_A_STEP;
    step();
  }

  /** Stands for {@link System#arraycopy}. */
  public static void arraycopy(Object from, int fromIndex, Object to, int toIndex, int length) {
    System.arraycopy(from, fromIndex, to, toIndex, length);
    count += length / ELEMENTS_OF_A_STEP;
    step();
  }
}
