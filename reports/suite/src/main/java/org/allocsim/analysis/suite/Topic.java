package org.allocsim.analysis.suite;

/**
 * What a scenario is about.
 *
 * @param name short name of lower-case words joined by hyphens
 * @param kind where it comes from
 * @param what its subject, or the claim as it is made, in a few words
 * @param source the public thread, documentation or article
 * @param setUp what the program does and what differs between the variants, in sentences
 */
public record Topic(String name, Kind kind, String what, String source, String setUp) {
  /** Refuses names that are no words joined by hyphens, and empty texts. */
  public Topic {
    if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException("'" + name + "' is not a name of a scenario");
    }
    if (what.isBlank() || source.isBlank() || setUp.isBlank()) {
      throw new IllegalArgumentException("scenario " + name + " has an empty text");
    }
  }
}
