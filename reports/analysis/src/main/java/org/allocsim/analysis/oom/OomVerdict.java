package org.allocsim.analysis.oom;

/** Why a request failed, as far as the numbers of the message show. */
public enum OomVerdict {
  /** The request is larger than the GPU. */
  IMPOSSIBLE("IMPOSSIBLE", "the request is larger than the GPU"),
  /** More is allocated than the GPU has: the driver moved memory to system RAM. */
  SPILLED("SPILLED", "more is allocated than the GPU has: the driver spills to system RAM"),
  /** The allocator's own limit refuses what the GPU could give. */
  CAPPED("CAPPED", "the memory fraction is reached before the GPU is full"),
  /** The driver reports enough free memory and still refused. */
  NOT_ALLOCATOR("NOT-ALLOCATOR", "the driver had enough free memory but the allocation failed"),
  /** Enough is free, but inside private pools that the request may not use. */
  POOL("POOL", "enough is free, but in private pools that the request cannot use"),
  /** Free and cached memory together are smaller than the request. */
  FULL("FULL", "free plus cached memory is too small; no setting helps"),
  /** Free and cached memory together would do, but no single piece does. */
  FRAGMENTED("FRAGMENTED", "free plus cached memory would be enough if it were contiguous"),
  /** Other processes, or memory outside the allocator, hold what is short. */
  ELSEWHERE("ELSEWHERE", "other processes or memory outside the allocator hold what is missing"),
  /** The memory that ran out is the host's. */
  HOST("HOST", "the host's memory ran out, not the GPU's"),
  /** The message lacks a number that the decision needs. */
  UNKNOWN("UNKNOWN", "the message does not have enough numbers to decide");

  private final String word;
  private final String meaning;

  OomVerdict(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  /** The verdict as it is printed. */
  public String word() {
    return word;
  }

  /** One clause for tables. */
  public String meaning() {
    return meaning;
  }
}
