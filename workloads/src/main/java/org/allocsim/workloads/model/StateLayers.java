package org.allocsim.workloads.model;

/**
 * Layers of a model that keep a state of a sequence in place of its keys and values: a gated delta
 * net, as in Qwen3-Next and Qwen3.5.
 *
 * <p><b>Rules.</b> A layer keeps the last inputs of its convolution over queries, keys and values,
 * all but one of them, in 16 bits, and a matrix of values by keys for each head of values.
 *
 * <p><b>Source.</b> vllm-project/vllm, {@code model_executor/layers/mamba/mamba_utils.py} ({@code
 * gated_delta_net_state_shape}) and {@code model_executor/models/qwen3_next.py} (August 2026).
 *
 * @param count number of such layers
 * @param keyHeads heads of queries, and of keys
 * @param valueHeads heads of values
 * @param keyWidth features of a head of keys
 * @param valueWidth features of a head of values
 * @param taps inputs that the convolution takes
 * @param numberBytes bytes of a number of the matrix ({@code mamba_ssm_dtype})
 */
public record StateLayers(
    int count,
    int keyHeads,
    int valueHeads,
    int keyWidth,
    int valueWidth,
    int taps,
    int numberBytes) {
  /** No such layers. */
  public static final StateLayers NONE = new StateLayers(0, 1, 1, 1, 1, 1, 2);

  /** Whether the heads can be shared by so many GPUs. */
  boolean isSharedBy(int gpus) {
    return count == 0 || keyHeads % gpus == 0 && valueHeads % gpus == 0;
  }

  /** Features of queries, keys and values together. */
  private long width() {
    return 2L * keyHeads * keyWidth + (long) valueHeads * valueWidth;
  }

  /** Bytes that one layer keeps of a sequence on each of several GPUs. */
  long bytes(int gpus) {
    long convolution = width() / gpus * (taps - 1) * ModelShape.HALF_BYTES;
    return convolution + (long) valueHeads / gpus * valueWidth * keyWidth * numberBytes;
  }

  /** Weights of one layer's part of the attention: projections, convolution and gates. */
  long parameters(int hidden) {
    long values = (long) valueHeads * valueWidth;
    long projections = hidden * (width() + values + 2L * valueHeads) + values * hidden;
    return projections + width() * taps + 2L * valueHeads + valueWidth;
  }
}
