package org.allocsim.simulator.run;

/** How a replay goes on after a request that fails. */
public enum AfterOom {
  /** It ends: the first failure is the verdict. */
  STOP,
  /** As if the program had caught the error: what concerns the failed request is passed over. */
  CONTINUE
}
