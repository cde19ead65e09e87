package org.allocsim.analysis.fleet.sweep;

/**
 * What a sweep came to.
 *
 * @param files traces
 * @param unreadable those of them that could not be read
 * @param passedOver files in folders that do not have the name of a trace
 * @param runs rows of traces that could be read
 * @param reused those of them that an earlier sweep had made
 * @param passed runs that served every request
 * @param ooms runs in which a request failed
 * @param notRun runs that could not be made
 * @param seconds wall time
 * @param parquet whether the rows were written as Parquet, too
 */
public record SweepSummary(
    long files,
    long unreadable,
    long passedOver,
    long runs,
    long reused,
    long passed,
    long ooms,
    long notRun,
    double seconds,
    boolean parquet) {}
