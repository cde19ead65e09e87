package org.allocsim.analysis.suite;

/**
 * What a scenario came to.
 *
 * @param topic what it is about
 * @param outcomes what its variants came to
 * @param findings what they show
 */
public record SuiteResult(Topic topic, Outcomes outcomes, Findings findings) {}
