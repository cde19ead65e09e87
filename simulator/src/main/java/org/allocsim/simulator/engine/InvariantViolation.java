package org.allocsim.simulator.engine;

/** A policy contradicts itself: an error in the policy, never in what it was asked. */
public final class InvariantViolation extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  InvariantViolation(String sentence) {
    super(sentence);
  }
}
