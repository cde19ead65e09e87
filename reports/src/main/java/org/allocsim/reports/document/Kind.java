package org.allocsim.reports.document;

/**
 * A kind of document: what one command answers.
 *
 * @param <T> what the answer is made of
 * @param name name of the schema, without version: the command's name in most cases
 * @param version follows when a key goes or changes its meaning, not when one is added
 * @param command the command and option that write it as JSON
 * @param description what the JSON is, one sentence of Markdown
 * @param shape the keys of the JSON after its first two, {@code schema} and {@code verdict}; where
 *     it has a {@code verdict} of its own, that one is written
 */
public record Kind<T>(
    String name, int version, String command, String description, Shape<T> shape) {
  /** A kind at version 3. */
  public Kind(String name, String command, String description, Shape<T> shape) {
    this(name, 3, command, description, shape);
  }

  /** Name and version of the schema, such as {@code allocsim-compare-2}. */
  public String id() {
    return "allocsim-" + name + "-" + version;
  }

  /** The identifier of the schema. */
  public String urn() {
    return "urn:allocsim:schema:" + name + ":" + version;
  }
}
