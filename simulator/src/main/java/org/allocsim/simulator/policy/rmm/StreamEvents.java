package org.allocsim.simulator.policy.rmm;

import java.util.Arrays;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * The CUDA events of a stream-ordered resource, one for each stream that ever asked it for
 * something, numbered in the order of their creation. Free lists are kept and searched by these
 * numbers; RMM orders them by the events' handles, of which nothing better is known.
 *
 * <p>The null stream and {@code cudaStreamLegacy} share an event, in whose list lies what a
 * resource takes from the device when it is constructed. RMM distinguishes them by their handles,
 * so the handles of the trace's streams are looked at, but none of its requests. Without a trace,
 * stream 0 is the null stream.
 */
final class StreamEvents {
  private static final int NO_EVENT = -1;

  /** Handle of the null stream. */
  private static final long NULL_HANDLE = 0;

  /** {@code cudaStreamLegacy} of the CUDA runtime. */
  private static final long LEGACY_HANDLE = 1;

  /** Stream number that stands for the legacy stream of a trace that does not have it. */
  private static final int NOT_IN_TRACE = -1;

  private final int legacyStream;
  private final int otherLegacyStream;
  private int[] eventOf = new int[8];
  private int count;

  /** No events yet. */
  StreamEvents(FutureRequests future) {
    AllocationTrace trace = future.trace();
    if (trace != null) {
      int nullStream = trace.streamOfHandle(NULL_HANDLE);
      otherLegacyStream = trace.streamOfHandle(LEGACY_HANDLE);
      legacyStream = nullStream >= 0 ? nullStream : NOT_IN_TRACE;
    } else {
      legacyStream = 0;
      otherLegacyStream = NOT_IN_TRACE;
    }
    Arrays.fill(eventOf, NO_EVENT);
  }

  /** Event of the legacy default stream, made now if it is not there. */
  int ofLegacyStream() {
    return of(legacyStream);
  }

  /** Event of a stream, made now if it is not there. */
  int of(int stream) {
    int index = 1 + (stream == otherLegacyStream ? legacyStream : stream);
    if (index >= eventOf.length) {
      int old = eventOf.length;
      eventOf = Arrays.copyOf(eventOf, Math.max(index + 1, old * 2));
      Arrays.fill(eventOf, old, eventOf.length, NO_EVENT);
    }
    if (eventOf[index] == NO_EVENT) {
      eventOf[index] = count++;
    }
    return eventOf[index];
  }

  /** Number of events. */
  int count() {
    return count;
  }
}
