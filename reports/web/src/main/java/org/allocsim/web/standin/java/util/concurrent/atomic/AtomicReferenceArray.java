package org.allocsim.web.standin.java.util.concurrent.atomic;

import java.util.function.BinaryOperator;

/**
 * An array of the only thread.
 *
 * @param <E> its elements
 */
public final class AtomicReferenceArray<E> {
  private final Object[] elements;

  /** As many nulls. */
  public AtomicReferenceArray(int length) {
    elements = new Object[length];
  }

  /** The element at a place. */
  @SuppressWarnings("unchecked") // only E are put in
  public E get(int place) {
    return (E) elements[place];
  }

  /** Puts an element at a place. */
  public void set(int place, E element) {
    elements[place] = element;
  }

  /** Puts an element at a place and returns the one before. */
  public E getAndSet(int place, E element) {
    E before = get(place);
    elements[place] = element;
    return before;
  }

  /** Joins an element with another one. */
  public E accumulateAndGet(int place, E other, BinaryOperator<E> function) {
    E joined = function.apply(get(place), other);
    elements[place] = joined;
    return joined;
  }
}
