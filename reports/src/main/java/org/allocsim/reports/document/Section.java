package org.allocsim.reports.document;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a document.
 *
 * @param title its heading; null where the document has one section only
 * @param blocks what stands in it; notes without a sentence do not
 */
public record Section(@Nullable String title, List<Block> blocks) {
  /** Keeps its own copy. */
  public Section {
    blocks =
        blocks.stream()
            .filter(block -> !(block instanceof Notes notes && notes.sentences().isEmpty()))
            .toList();
  }
}
