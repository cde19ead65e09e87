package org.allocsim.workloads.format.pytorch.metadata;

/**
 * The begin or end of a named span of the program ({@code external_annotations}, PyTorch 2.5+).
 *
 * @param stage whether the span begins or ends
 * @param name name of the span, such as {@code "Optimizer.step#AdamW.step"}
 * @param device device index, −1 where the file does not say
 * @param timeNanos time in nanoseconds on the clock of the history
 */
public record Annotation(Stage stage, String name, int device, long timeNanos) {
  /** Which end of a span. */
  public enum Stage {
    /** The span begins. */
    START,
    /** The span ends. */
    END
  }

  /** Whether the span begins here. */
  public boolean begin() {
    return stage == Stage.START;
  }
}
