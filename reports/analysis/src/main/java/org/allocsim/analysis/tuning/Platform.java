package org.allocsim.analysis.tuning;

/** Where a program runs, as far as the allocator's settings depend on it. */
public enum Platform {
  /** Linux with NVIDIA's driver. */
  LINUX("Linux"),
  /** Windows. */
  WINDOWS("Windows"),
  /** Linux inside Windows. */
  WSL("WSL");

  private final String label;

  Platform(String label) {
    this.label = label;
  }

  /** The name for people. */
  public String label() {
    return label;
  }

  /**
   * Whether PyTorch offers {@code expandable_segments} (2.1 to 2.14: not on Windows, where it warns
   * once and goes on without; on WSL the driver does not carry it, unslothai/unsloth-zoo#933).
   */
  public boolean hasExpandableSegments() {
    return this == LINUX;
  }
}
