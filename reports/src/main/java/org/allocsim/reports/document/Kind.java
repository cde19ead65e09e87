package org.allocsim.reports.document;

/**
 * A kind of document: what one command answers.
 *
 * @param <T> what the answer is made of
 * @param name name of the schema, without version: the command's name in most cases
 * @param command the command and option that write it as JSON
 * @param description what the JSON is, one sentence of Markdown
 * @param shape the keys of the JSON after its first two, {@code schema} and {@code verdict}
 */
public record Kind<T>(String name, String command, String description, Shape<T> shape) {
  private static final int VERSION = 2;

  /** Name and version of the schema, such as {@code allocsim-compare-2}. */
  public String id() {
    return "allocsim-" + name + "-" + VERSION;
  }

  /** The identifier of the schema. */
  public String urn() {
    return "urn:allocsim:schema:" + name + ":" + VERSION;
  }
}
