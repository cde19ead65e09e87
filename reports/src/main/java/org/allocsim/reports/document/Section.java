package org.allocsim.reports.document;

import java.util.List;

/**
 * A part of a document.
 *
 * @param title its heading; null where the document has one section only
 * @param blocks what stands in it
 */
public record Section(String title, List<Block> blocks) {
  /** Keeps its own copy. */
  public Section {
    blocks = List.copyOf(blocks);
  }
}
