package org.allocsim.workloads.program.llama;

import org.allocsim.workloads.model.ModelShape;

/**
 * Bytes of a model's weights in the buffers that llama.cpp makes for them.
 *
 * <p>Layers go to the GPU from the last one backward, the output after all of them; the embedding
 * stays on the host, and one that is also the output is there twice.
 *
 * <p><b>Source.</b> llama.cpp, {@code llama_model::load_tensors}; ggml-org/ggml d99724f2, {@code
 * ggml_backend_cuda_buffer_type_get_alloc_size} and its alignment.
 *
 * @param model the model, dense and with a gated feed-forward part
 * @param format how its matrices are stored
 */
record ModelWeights(ModelShape model, WeightFormat format) {
  /** Rows of quantized matrices on CUDA end on a multiple of this. */
  private static final long ROW_NUMBERS = 512;

  private static final long ALIGNMENT_BYTES = 128;

  /** Bytes on the GPU of the last layers, and of the output where it is more than all of them. */
  long gpuBytes(int gpuLayers) {
    long bytes = 0;
    for (int layer = Math.max(0, model.layers() - gpuLayers); layer < model.layers(); layer++) {
      bytes += layerBytes(layer);
    }
    return gpuLayers > model.layers() ? bytes + outputBytes() : bytes;
  }

  private long outputBytes() {
    return matrix(format.output(), model.hidden(), model.vocabulary()) + vector(model.hidden());
  }

  private long layerBytes(int layer) {
    int hidden = model.hidden();
    long queries = (long) model.heads() * model.headWidth();
    long keys = (long) model.keyHeads() * model.headWidth();
    GgmlType most = format.most();
    GgmlType sensitive = format.sensitive(layer, model.layers());
    return vector(hidden)
        + matrix(most, hidden, queries)
        + matrix(most, hidden, keys)
        + matrix(sensitive, hidden, keys)
        + matrix(most, queries, hidden)
        + attentionVectors(queries, keys)
        + vector(hidden)
        + matrix(most, hidden, model.inner())
        + matrix(sensitive, model.inner(), hidden)
        + matrix(most, hidden, model.inner());
  }

  /** Qwen 2 adds biases to queries, keys and values; Qwen 3 normalizes queries and keys. */
  private long attentionVectors(long queries, long keys) {
    if (model.name().startsWith("qwen2")) {
      return vector(queries) + 2 * vector(keys);
    }
    return model.name().startsWith("qwen3") ? 2 * vector(model.headWidth()) : 0;
  }

  private static long vector(long numbers) {
    return aligned(GgmlType.F32.bytes(numbers));
  }

  private static long matrix(GgmlType type, long rowNumbers, long rows) {
    long beyond = rowNumbers % ROW_NUMBERS;
    long padding = type.isQuantized() && beyond != 0 ? type.bytes(ROW_NUMBERS - beyond) : 0;
    return aligned(type.bytes(rowNumbers) * rows + padding);
  }

  static long aligned(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }
}
