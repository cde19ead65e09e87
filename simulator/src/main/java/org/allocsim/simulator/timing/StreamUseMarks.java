package org.allocsim.simulator.timing;

import java.util.Arrays;
import org.allocsim.simulator.policy.use.UseIndex;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Uses of allocations and host buffers on streams, from the use to the moment when what was queued
 * before the free is done. Owners are allocations (their ids) and host buffers (the complement of
 * their numbers).
 */
final class StreamUseMarks {
  private static final int NONE = -1;

  /** First use of each allocation, and of each host buffer after them; empty without any use. */
  private final int[] first;

  private final int allocations;
  private int[] stream = new int[16];
  private int[] owner = new int[16];
  private int[] next = new int[16];
  private int firstUnused = NONE;
  private int rows;
  private final UseIndex index = new UseIndex();

  StreamUseMarks(AllocationTrace trace) {
    boolean any = false;
    for (int event = 0; event < trace.eventCount() && !any; event++) {
      RequestKind kind = trace.kind(event);
      any = kind == RequestKind.USE_STREAM || kind == RequestKind.HOST_USE_STREAM;
    }
    allocations = trace.allocationCount();
    first = new int[any ? allocations + trace.hostBufferCount() : 0];
    Arrays.fill(first, NONE);
  }

  private int place(int itsOwner) {
    return itsOwner >= 0 ? itsOwner : allocations + ~itsOwner;
  }

  /** The owner is used on a stream from now on; more than once counts once. */
  void add(int itsOwner, int itsStream) {
    int place = place(itsOwner);
    if (index.find(place, itsStream) != UseIndex.NONE) {
      return;
    }
    int use = newRow();
    index.add(place, itsStream, use);
    owner[use] = itsOwner;
    stream[use] = itsStream;
    next[use] = first[place];
    first[place] = use;
  }

  /** First use of an owner, or −1. */
  int first(int itsOwner) {
    return first.length == 0 ? NONE : first[place(itsOwner)];
  }

  /** The owner is given back; its uses stay known by their numbers until they are dropped. */
  void forget(int itsOwner) {
    for (int use = first(itsOwner); use != NONE; use = next[use]) {
      index.remove(place(itsOwner), stream[use]);
    }
    if (first.length > 0) {
      first[place(itsOwner)] = NONE;
    }
  }

  /** The use after a use of the same owner, or −1. */
  int next(int use) {
    return next[use];
  }

  int stream(int use) {
    return stream[use];
  }

  int owner(int use) {
    return owner[use];
  }

  /** The number of a use that is over may be given anew. */
  void drop(int use) {
    next[use] = firstUnused;
    firstUnused = use;
  }

  private int newRow() {
    if (firstUnused != NONE) {
      int use = firstUnused;
      firstUnused = next[use];
      return use;
    }
    if (rows == stream.length) {
      int capacity = rows * 2;
      stream = Arrays.copyOf(stream, capacity);
      owner = Arrays.copyOf(owner, capacity);
      next = Arrays.copyOf(next, capacity);
    }
    return rows++;
  }
}
