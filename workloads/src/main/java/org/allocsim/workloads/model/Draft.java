package org.allocsim.workloads.model;

import org.allocsim.workloads.format.TraceFormatException;

/**
 * What guesses tokens ahead of a model (speculative decoding).
 *
 * @param model its layers; those of an EAGLE head, which shares embedding and output with the model
 *     that it guesses for, or those of a whole model
 * @param isHead whether it is such a head
 * @param tokens tokens that it guesses ({@code num_speculative_tokens})
 */
public record Draft(ModelShape model, boolean isHead, int tokens) {
  /** The name of a head of one layer in place of a model's. */
  public static final String EAGLE = "eagle";

  /**
   * A head for a model, or another model.
   *
   * @param name {@link #EAGLE}, or what {@link ServedModels#of} takes
   * @throws IllegalArgumentException for an unknown name
   * @throws TraceFormatException where a file cannot be read or lacks a size
   */
  public static Draft named(String name, ModelShape owner, int tokens) throws TraceFormatException {
    return name.equals(EAGLE)
        ? new Draft(owner.ofLayers(1), true, tokens)
        : new Draft(ServedModels.of(name), false, tokens);
  }

  /**
   * The part that each of several GPUs has. A head has no embedding and no output; the matrix that
   * joins the owner's hidden states with a token's is whole on each GPU.
   *
   * @param gpus GPUs that share each layer
   * @param weightBytes bytes of a weight
   * @param valueBytes bytes of a number in keys and values
   * @throws IllegalArgumentException where the heads cannot be shared so
   */
  public ServedModel served(int gpus, int weightBytes, int valueBytes) {
    ServedModel whole = model.served(gpus, weightBytes, valueBytes);
    if (!isHead) {
      return whole;
    }
    long joining = 2L * model.hidden() * model.hidden();
    long own = model.parameters() - model.vocabularyParameters();
    return new ServedModel(
        EAGLE,
        whole.hidden(),
        whole.inner(),
        whole.vocabulary(),
        whole.queryWidth(),
        (own / gpus + joining) * weightBytes,
        0,
        whole.activeParameters() + joining,
        whole.contextTokens(),
        whole.groups());
  }
}
