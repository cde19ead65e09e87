package org.allocsim.reports.document;

import java.util.List;

/**
 * A part of a document.
 *
 * @param title its heading; null where the document has one section only
 * @param blocks what stands in it; notes without a sentence do not
 */
public record Section(String title, List<Block> blocks) {
  /** Keeps its own copy. */
  public Section {
    blocks =
        blocks.stream()
            .filter(block -> !(block instanceof Notes notes && notes.sentences().isEmpty()))
            .toList();
  }
}
