package org.allocsim.analysis.attribution;

import java.util.Optional;

/** Categories that were recorded with a program: they come before stacks and rules. */
@FunctionalInterface
public interface RecordedCategories {
  /** Nothing was recorded. */
  RecordedCategories NONE = _ -> Optional.empty();

  /**
   * The category of an allocation that its recorder named, empty where it did not. Whoever reads
   * addresses and times from a recording finds the allocation by them.
   *
   * @param allocation number in the trace
   */
  Optional<Category> of(int allocation);
}
