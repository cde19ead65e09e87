package org.allocsim.simulator.run;

/** Follows what tenants hold of a device that they share. */
@FunctionalInterface
public interface SharedObserver {
  /** Nobody follows. */
  SharedObserver NONE = (_, _, _) -> {};

  /**
   * A tenant holds another amount than before.
   *
   * @param nanos when, on the tenants' common clock
   * @param tenant its number
   * @param bytes what it holds now, with its context
   */
  void changed(long nanos, int tenant, long bytes);
}
