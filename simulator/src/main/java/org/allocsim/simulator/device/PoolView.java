package org.allocsim.simulator.device;

/** Shows where the memory of a pool is mapped and what lies in it. */
public interface PoolView {
  /** Hears which parts of the pool's addresses get or lose memory. */
  interface Listener {
    /** Memory was reserved for, or moved to, a range of addresses. */
    void mapped(long address, long bytes);

    /** Memory of a range of addresses was returned or moved away. */
    void unmapped(long address, long bytes);
  }

  /** Sees mapped runs by ascending address, each followed by the ranges that tile it. */
  interface Visitor {
    /** A run of addresses that have memory, as long as possible. */
    void run(long address, long bytes);

    /** A part of the run shown last: an allocation, or a free range cut to the run. */
    void range(long address, long bytes, boolean inUse);
  }

  /** From now on this listener is notified of changes, which add up to what {@link #show} shows. */
  void reportTo(Listener listener);

  /** Shows everything that is reserved. */
  void show(Visitor visitor);
}
