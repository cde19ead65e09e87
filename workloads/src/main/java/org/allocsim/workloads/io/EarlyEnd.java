package org.allocsim.workloads.io;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Work that keeps what it has when a signal tells the process to end. Such work looks at {@link
 * #isAsked}, begins nothing further then, and writes what is done; the process waits for that, but
 * not for ever: whoever sends a signal that can be caught sends another one after a while.
 */
public final class EarlyEnd {
  /** Container run-times wait ten seconds, others longer. */
  private static final long WAIT_MILLIS = 8_000;

  private static final Set<Thread> WORKING = new HashSet<>();
  private static final Set<Part> PARTS = new HashSet<>();
  private static boolean isHooked;
  private static boolean arePartsEnded;
  private static volatile boolean isAsked;

  private EarlyEnd() {}

  /** Something that work waits for, and that has to be ended before the work can. */
  public static final class Part implements AutoCloseable {
    private final Runnable end;

    private Part(Runnable end) {
      this.end = end;
    }

    /** It has ended by itself. */
    @Override
    public void close() {
      forget(this);
    }
  }

  /** Whether work is to end. */
  public static boolean isAsked() {
    return isAsked;
  }

  /** This thread begins work that looks at {@link #isAsked}. */
  public static synchronized void begin() {
    hook();
    WORKING.add(Thread.currentThread());
  }

  /** What this thread works on, if anything, is written. */
  public static synchronized void finish() {
    WORKING.remove(Thread.currentThread());
    EarlyEnd.class.notifyAll();
  }

  /**
   * Names something that work waits for.
   *
   * @param end ends it; called by another thread, once work is to end, or here, where it is to end
   *     already
   */
  public static Part part(Runnable end) {
    Part part = new Part(end);
    if (!isAdded(part)) {
      end.run();
    }
    return part;
  }

  private static synchronized boolean isAdded(Part part) {
    if (arePartsEnded) {
      return false;
    }
    hook();
    return PARTS.add(part);
  }

  private static synchronized void forget(Part part) {
    PARTS.remove(part);
  }

  /** All work is to end. */
  public static void ask() {
    isAsked = true;
    endParts();
  }

  private static void endParts() {
    List<Part> parts;
    synchronized (EarlyEnd.class) {
      parts = List.copyOf(PARTS);
      PARTS.clear();
      arePartsEnded = true;
    }
    for (Part part : parts) {
      try {
        part.end.run();
      } catch (RuntimeException e) {
        // It is told of as any failure that nobody awaits, and the others are ended.
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }

  private static synchronized boolean isWorking() {
    return !WORKING.isEmpty();
  }

  /**
   * Tells all work to end, and waits until it has. Where nothing of the kind goes on, nobody waits
   * for what is there, and whatever goes on must not see half of it.
   */
  static void await() {
    if (!isWorking()) {
      endParts();
      return;
    }
    ask();
    long endMillis = System.currentTimeMillis() + WAIT_MILLIS;
    synchronized (EarlyEnd.class) {
      try {
        for (long left = WAIT_MILLIS; !WORKING.isEmpty() && left > 0; ) {
          EarlyEnd.class.wait(left);
          left = endMillis - System.currentTimeMillis();
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void hook() {
    if (!isHooked) {
      isHooked = true;
      Runtime.getRuntime().addShutdownHook(new Thread(EarlyEnd::await, "early end"));
    }
  }
}
