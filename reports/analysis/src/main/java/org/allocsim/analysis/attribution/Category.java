package org.allocsim.analysis.attribution;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What an allocation is for. */
public enum Category {
  /** Weights and buffers of a model. */
  PARAMETER("parameters"),
  /** Gradients of parameters. */
  GRADIENT("gradients"),
  /** What an optimizer keeps from step to step. */
  OPTIMIZER_STATE("optimizer state"),
  /** Tensors that the forward pass leaves for the backward pass. */
  SAVED_ACTIVATION("activations saved for backward"),
  /** Freed in the phase that allocated it. */
  TEMPORARY("temporaries"),
  /** Scratch memory of libraries such as cuBLAS and cuDNN. */
  WORKSPACE("workspaces of libraries"),
  /** Buffers of collectives between GPUs. */
  COMMUNICATION("communication"),
  /** Batches that the program brings to the GPU. */
  INPUT("inputs"),
  /** Unknown. */
  UNKNOWN("unknown");

  private final String label;

  Category(String label) {
    this.label = label;
  }

  /** Name in files and options. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Name for people. */
  public String label() {
    return label;
  }

  /** The category of this name in files; {@link #UNKNOWN} cannot be named. */
  public static Optional<Category> ofId(String id) {
    return Arrays.stream(values())
        .filter(each -> each != UNKNOWN && each.id().equals(id))
        .findFirst();
  }
}
