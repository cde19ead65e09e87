package org.allocsim.simulator.policy;

/** An option of a policy has a value that is not valid; the message is a sentence for the user. */
public final class PolicyOptionException extends Exception {
  private static final long serialVersionUID = 1;

  /** An exception with the sentence for the user. */
  public PolicyOptionException(String message) {
    super(message);
  }
}
