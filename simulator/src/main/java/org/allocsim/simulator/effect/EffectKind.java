package org.allocsim.simulator.effect;

import org.jspecify.annotations.Nullable;

/** What an allocator did, with the names of PyTorch's memory history (2.11). */
public enum EffectKind {
  /** A block was handed out; size is what the program asked for. */
  ALLOC("alloc"),
  /** The program gave a block back. */
  FREE_REQUESTED("free_requested"),
  /** The block became reusable. */
  FREE_COMPLETED("free_completed"),
  /** A segment was obtained from the device. */
  SEGMENT_ALLOC("segment_alloc"),
  /** A segment was returned to the device. */
  SEGMENT_FREE("segment_free"),
  /** Physical memory was mapped into an expandable segment. */
  SEGMENT_MAP("segment_map"),
  /** Physical memory was unmapped from an expandable segment. */
  SEGMENT_UNMAP("segment_unmap"),
  /** A request failed; the address column holds the device's free bytes, size is rounded. */
  OOM("oom"),
  /** A snapshot was taken; size is the active bytes. */
  SNAPSHOT("snapshot");

  private static final EffectKind[] KINDS = values();

  private final String action;

  EffectKind(String action) {
    this.action = action;
  }

  /** The name in PyTorch's history. */
  public String action() {
    return action;
  }

  /** Whether a block is handed out or comes back, which most effects are. */
  boolean isOfBlock() {
    return this == ALLOC || this == FREE_REQUESTED || this == FREE_COMPLETED;
  }

  /** The kind with this ordinal. */
  static EffectKind of(byte ordinal) {
    return KINDS[ordinal];
  }

  /** The kind with this action name, or null. */
  public static @Nullable EffectKind ofAction(String action) {
    for (EffectKind kind : KINDS) {
      if (kind.action.equals(action)) {
        return kind;
      }
    }
    return null;
  }
}
