package org.allocsim.analysis.idle.timeline;

import java.util.Locale;
import org.allocsim.analysis.idle.profile.RowKind;

/** What the GPU does. */
public enum WorkKind {
  /** Runs a kernel. */
  COMPUTE("compute", "kernels"),
  /** Runs a kernel of a collective. */
  COMMUNICATE("communicate", "collectives"),
  /** Copies from pageable memory of the host. */
  FROM_PAGEABLE("from-pageable", "copies from pageable memory"),
  /** Copies from pinned memory of the host. */
  FROM_PINNED("from-pinned", "copies from pinned memory"),
  /** Copies to memory of the host. */
  TO_HOST("to-host", "copies to the host"),
  /** Copies within the GPU or to another, or fills memory. */
  MOVE("move", "copies within the GPU, and fills");

  private final String id;
  private final String words;

  WorkKind(String id, String words) {
    this.id = id;
    this.words = words;
  }

  /** Its name in files. */
  public String id() {
    return id;
  }

  /** What legends call it. */
  public String words() {
    return words;
  }

  public static WorkKind of(RowKind row, String name) {
    if (row == RowKind.KERNEL) {
      String lower = name.toLowerCase(Locale.ROOT);
      return lower.startsWith("nccl") || lower.contains("rccl") ? COMMUNICATE : COMPUTE;
    }
    if (name.contains("HtoD")) {
      return name.contains("Pageable ->") ? FROM_PAGEABLE : FROM_PINNED;
    }
    return name.contains("DtoH") ? TO_HOST : MOVE;
  }

  public boolean isCopy() {
    return this != COMPUTE && this != COMMUNICATE;
  }
}
