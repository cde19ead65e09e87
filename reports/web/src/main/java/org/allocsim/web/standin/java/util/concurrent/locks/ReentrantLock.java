package org.allocsim.web.standin.java.util.concurrent.locks;

/** A lock that the only thread always gets. */
public final class ReentrantLock {
  /** Nobody holds it. */
  public ReentrantLock() {}

  /** Takes it. */
  public void lock() {
    // There is nobody to wait for.
  }

  /** Takes it where it is free. */
  public boolean tryLock() {
    return true;
  }

  /** Gives it back. */
  public void unlock() {
    // There is nobody who waits.
  }
}
