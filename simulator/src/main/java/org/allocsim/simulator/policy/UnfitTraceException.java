package org.allocsim.simulator.policy;

/** A policy cannot serve a trace; the message says in a few words what it needs. */
public final class UnfitTraceException extends Exception {
  private static final long serialVersionUID = 1L;

  /** An exception whose message completes "needs …". */
  public UnfitTraceException(String needs) {
    super(needs);
  }
}
