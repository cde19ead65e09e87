package org.allocsim.analysis.suite;

import java.util.List;

/**
 * A report or a claim that is put to the test: programs and settings whose outcomes are compared.
 * It is made by the service loader, and states nothing in advance: what it says follows from the
 * outcomes.
 */
public interface SuiteScenario {
  /** What it is about. */
  Topic topic();

  /**
   * What is run: first the article's or the reporter's "before", then its "after", then whatever
   * else the findings need. Labels differ from each other.
   */
  List<Variant> variants();

  /**
   * What the outcomes show.
   *
   * @param before of the first variant
   * @param after of the second
   * @param outcomes of all
   */
  Findings judge(Outcome before, Outcome after, Outcomes outcomes);
}
