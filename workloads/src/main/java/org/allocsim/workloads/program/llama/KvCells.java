package org.allocsim.workloads.program.llama;

import org.allocsim.workloads.model.ModelShape;

/**
 * llama.cpp's KV cache: a cell a token for each layer, allocated when it starts.
 *
 * <p><b>Rules.</b> The context is divided among the sequences unless they share it, and rounded up
 * to 256 cells with flash attention, else 32. Layers with a window have a cache of their own: what
 * they look back at and a micro-batch more, rounded up likewise; with a shared cache a window for
 * each sequence. A layer's cells are where the layer is.
 *
 * <p><b>Source.</b> llama.cpp of May 2025 to August 2026, {@code src/llama-kv-cache.cpp}, {@code
 * llama-kv-cache-iswa.cpp}; since autumn 2025 it rounds up to 256 without flash attention, too.
 */
public final class KvCells {
  /** Cells that a cache is rounded up to, with flash attention. */
  private static final int UNIT_CELLS = 256;

  private static final int UNIT_CELLS_WITHOUT_FLASH_ATTENTION = 32;

  private final LlamaCppSettings settings;

  /** The most tokens, no more than these, whose cells are a whole number of units. */
  public static long wholeUnits(long tokens) {
    return tokens / UNIT_CELLS * UNIT_CELLS;
  }

  KvCells(LlamaCppSettings settings) {
    this.settings = settings;
  }

  private int rounded(long cells) {
    int unit = settings.hasFlashAttention() ? UNIT_CELLS : UNIT_CELLS_WITHOUT_FLASH_ATTENTION;
    return Math.toIntExact((cells + unit - 1) / unit * unit);
  }

  /** Cells of each stream in layers that look back at all tokens. */
  int fullCells() {
    return rounded((settings.contextTokens() + settings.streams() - 1L) / settings.streams());
  }

  /** Cells of each stream in layers with a window. */
  int windowCells() {
    int windows = settings.isUnified() ? settings.sequences() : 1;
    long cells = (long) settings.model().windowTokens() * windows + settings.microBatchTokens();
    return settings.cachesAll() ? fullCells() : Math.min(fullCells(), rounded(cells));
  }

  /** Whether some layers have a window. */
  boolean hasWindows() {
    return settings.model().windowTokens() > 0;
  }

  /**
   * Whether a layer has a window. Where the model has windows, every so many layers the last one
   * looks back at all tokens.
   */
  boolean hasWindow(int layer) {
    ModelShape model = settings.model();
    if (!hasWindows()) {
      return false;
    }
    int period = model.fullLayers() == 0 ? 0 : model.layers() / model.fullLayers();
    return period == 0 || (layer + 1) % period != 0;
  }

  /** Bytes on the GPU of the layers that have a window, or of the others. */
  long gpuBytes(boolean ofWindows) {
    long cells = (long) settings.streams() * (ofWindows ? windowCells() : fullCells());
    ModelShape model = settings.model();
    long row = (long) model.keyHeads() * model.headWidth();
    long layerBytes =
        ModelWeights.aligned(settings.keyType().bytes(row) * cells)
            + ModelWeights.aligned(settings.valueType().bytes(row) * cells);
    long layers = 0;
    for (int layer = settings.firstGpuLayer(); layer < model.layers(); layer++) {
      layers += hasWindow(layer) == ofWindows ? 1 : 0;
    }
    return layers * layerBytes;
  }
}
