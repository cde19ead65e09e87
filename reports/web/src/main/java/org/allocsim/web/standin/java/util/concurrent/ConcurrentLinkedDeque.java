package org.allocsim.web.standin.java.util.concurrent;

import java.util.ArrayDeque;

/**
 * A queue of the only thread.
 *
 * @param <E> its elements
 */
public final class ConcurrentLinkedDeque<E> extends ArrayDeque<E> {
  private static final long serialVersionUID = 1L;

  /** An empty queue. */
  public ConcurrentLinkedDeque() {}
}
