package org.allocsim.analysis.idle;

import java.util.Locale;
import org.allocsim.analysis.idle.profile.RowKind;

/** What the GPU does. */
enum WorkKind {
  /** Runs a kernel. */
  COMPUTE,
  /** Runs a kernel of a collective. */
  COMMUNICATE,
  /** Copies from pageable memory of the host. */
  FROM_PAGEABLE,
  /** Copies from pinned memory of the host. */
  FROM_PINNED,
  /** Copies to memory of the host. */
  TO_HOST,
  /** Copies within the GPU or to another, or fills memory. */
  MOVE;

  static WorkKind of(RowKind row, String name) {
    if (row == RowKind.KERNEL) {
      String lower = name.toLowerCase(Locale.ROOT);
      return lower.startsWith("nccl") || lower.contains("rccl") ? COMMUNICATE : COMPUTE;
    }
    if (name.contains("HtoD")) {
      return name.contains("Pageable ->") ? FROM_PAGEABLE : FROM_PINNED;
    }
    return name.contains("DtoH") ? TO_HOST : MOVE;
  }

  boolean isCopy() {
    return this != COMPUTE && this != COMMUNICATE;
  }
}
