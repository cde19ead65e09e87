package org.allocsim.reports.document;

/**
 * A quantity that has one name and one explanation wherever it stands.
 *
 * @param unit its unit
 * @param key its name in JSON and CSV
 * @param explanation a sentence about it
 */
public record Term(Unit unit, String key, String explanation) {
  /** Refuses a name that does not say the unit. */
  public Term {
    unit.requireKey(key);
  }
}
