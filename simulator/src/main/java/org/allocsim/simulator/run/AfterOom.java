package org.allocsim.simulator.run;

/** What a replay does after a failed request. */
public enum AfterOom {
  /** It ends: the first failure is the verdict. */
  STOP,
  /** As if the program had caught the error: what concerns the failed request is passed over. */
  CONTINUE
}
