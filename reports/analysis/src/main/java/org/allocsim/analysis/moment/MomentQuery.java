package org.allocsim.analysis.moment;

/**
 * A moment of a program, to be looked for.
 *
 * @param kind what happens then
 * @param request for {@link Kind#REQUEST}: index among the allocation requests, from 0
 */
public record MomentQuery(Kind kind, long request) {
  /** What happens at a moment. */
  public enum Kind {
    /** The fullest moment at which reserved memory has its peak, the first of equals. */
    PEAK_RESERVED("at the peak of reserved memory"),
    /** Allocated memory reaches its peak for the first time. */
    PEAK_ALLOCATED("when allocated memory first reached its peak"),
    /** Requested memory reaches its peak for the first time. */
    PEAK_REQUESTED("when requested memory first reached its peak"),
    /** The first request fails; cached memory has been released by then. */
    FIRST_OOM("when the first request failed"),
    /** The last request has been served. */
    END("at the end"),
    /** A given allocation request has been served or refused. */
    REQUEST("after a chosen request");

    private final String phrase;

    Kind(String phrase) {
      this.phrase = phrase;
    }

    /** The moment in words, after a statement. */
    public String phrase() {
      return phrase;
    }
  }

  /** The first moment of a kind. */
  public static MomentQuery of(Kind kind) {
    return new MomentQuery(kind, -1);
  }

  /** The moment after an allocation request. */
  public static MomentQuery afterRequest(long request) {
    return new MomentQuery(Kind.REQUEST, request);
  }
}
