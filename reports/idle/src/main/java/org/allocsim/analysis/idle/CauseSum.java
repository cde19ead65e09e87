package org.allocsim.analysis.idle;

import org.allocsim.analysis.idle.timeline.Cause;

/**
 * All idle time of one cause at one place.
 *
 * @param cause why
 * @param where the line, operator or call; empty for gaps that are too short to look at
 * @param nanos idle time in all steps
 * @param gaps number of gaps
 */
public record CauseSum(Cause cause, String where, long nanos, long gaps) {}
