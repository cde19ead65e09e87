package org.allocsim.validation.fidelity;

import java.util.List;

/**
 * Where the simulation first did something else than the recording.
 *
 * @param index of the recorded entry, 0-based
 * @param expected the recorded entry as text; empty where the recording has ended
 * @param actual what the simulation did; empty where it did nothing any more
 * @param context the state around it, one line each
 */
public record Divergence(int index, String expected, String actual, List<String> context) {
  /** Keeps its own copy of the context. */
  public Divergence {
    context = List.copyOf(context);
  }
}
