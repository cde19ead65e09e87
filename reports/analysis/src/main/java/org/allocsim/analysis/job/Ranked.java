package org.allocsim.analysis.job;

/**
 * A rank and what was found of it.
 *
 * @param <R> what was found; it keeps no recording, so that a job needs the memory of one rank
 * @param rank the rank
 * @param found what was found
 */
public record Ranked<R>(Rank rank, R found) {}
