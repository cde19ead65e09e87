package org.allocsim.reports.document;

/** What the values of a column are. */
public sealed interface Type {
  /** One quantity. */
  record Scalar(Unit unit) implements Type {}

  /** An object with its own keys. */
  record Single(Shape<?> shape) implements Type {}

  /** Objects with the same keys. */
  record Many(Shape<?> shape) implements Type {}

  /** Quantities without names. */
  record Series(Unit unit) implements Type {}

  /**
   * Values of one type under names that depend on the data.
   *
   * @param meaning what one of them is
   */
  record Named(Type of, String meaning) implements Type {}
}
