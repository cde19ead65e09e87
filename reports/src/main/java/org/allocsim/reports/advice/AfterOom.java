package org.allocsim.reports.advice;

/** How a replay goes on behind a request that fails. */
public enum AfterOom {
  /** It ends: the first failure is the verdict. */
  STOP,
  /** As if the program had caught the error: what concerns the failed request is passed over. */
  CONTINUE
}
