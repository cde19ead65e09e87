package org.allocsim.reports.document;

/**
 * Text in the lines that its author gave it, such as a message of PyTorch.
 *
 * @param text its lines
 */
public record Verbatim(String text) implements Block {}
