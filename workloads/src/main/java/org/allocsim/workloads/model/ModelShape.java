package org.allocsim.workloads.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The sizes that a model's {@code config.json} gives.
 *
 * @param name its name
 * @param layers number of layers
 * @param hidden width of the residual stream
 * @param inner width inside the feed-forward part, of one expert where there are several
 * @param innerMatrices matrices of the feed-forward part: 2, or 3 with a gate
 * @param heads query heads
 * @param keyHeads heads of keys and of values
 * @param headWidth features of a head
 * @param vocabulary number of tokens that it knows
 * @param isTied whether the last matrix is that of the embedding
 * @param contextTokens maximum tokens of a sequence
 * @param windowTokens tokens that a layer with a window looks back at; 0 where none has one
 * @param isChunked whether the window is a chunk that a token looks back at the start of
 * @param fullLayers layers that look back at all tokens
 * @param experts feed-forward parts of a layer
 * @param activeExperts those that a token goes through
 * @param states layers that keep a state in place of keys and values, none of the full ones
 * @param hasOutputGate whether what is attended is gated by features that each query has too
 * @param adaptsVocabulary whether a server has low-rank adapters for embedding and output, too
 */
public record ModelShape(
    String name,
    int layers,
    int hidden,
    int inner,
    int innerMatrices,
    int heads,
    int keyHeads,
    int headWidth,
    int vocabulary,
    boolean isTied,
    int contextTokens,
    int windowTokens,
    boolean isChunked,
    int fullLayers,
    int experts,
    int activeExperts,
    StateLayers states,
    boolean hasOutputGate,
    boolean adaptsVocabulary) {
  /** Bytes of a number in 16-bit formats. */
  public static final int HALF_BYTES = 2;

  /** A dense model of which every layer looks back at all tokens. */
  static ModelShape dense(
      String name,
      int layers,
      int hidden,
      int inner,
      int innerMatrices,
      int heads,
      int keyHeads,
      int headWidth,
      int vocabulary,
      boolean isTied,
      int contextTokens) {
    return new ModelShape(
        name,
        layers,
        hidden,
        inner,
        innerMatrices,
        heads,
        keyHeads,
        headWidth,
        vocabulary,
        isTied,
        contextTokens,
        0,
        false,
        layers,
        1,
        1,
        StateLayers.NONE,
        false,
        false);
  }

  /** The same model of which some layers look back at a window only. */
  ModelShape windowed(int tokens, int full) {
    return with(layers, tokens, false, full, adaptsVocabulary);
  }

  /** The same model of which some layers look back at chunks only. */
  ModelShape chunked(int tokens, int full) {
    return with(layers, tokens, true, full, adaptsVocabulary);
  }

  /** The same model with so many feed-forward parts in each layer, some of which a token takes. */
  ModelShape withExperts(int count, int active) {
    return new ModelShape(
        name,
        layers,
        hidden,
        inner,
        innerMatrices,
        heads,
        keyHeads,
        headWidth,
        vocabulary,
        isTied,
        contextTokens,
        windowTokens,
        isChunked,
        fullLayers,
        count,
        active,
        states,
        hasOutputGate,
        adaptsVocabulary);
  }

  /** The same model of which some layers keep a state, and the others gate what they attend. */
  ModelShape withStates(StateLayers some) {
    return new ModelShape(
        name,
        layers,
        hidden,
        inner,
        innerMatrices,
        heads,
        keyHeads,
        headWidth,
        vocabulary,
        isTied,
        contextTokens,
        0,
        false,
        layers - some.count(),
        experts,
        activeExperts,
        some,
        true,
        adaptsVocabulary);
  }

  /** The same model with low-rank adapters for embedding and output where it is served so. */
  ModelShape adaptingVocabulary() {
    return with(layers, windowTokens, isChunked, fullLayers, true);
  }

  /** So many of its layers, all of which look back at all tokens. */
  public ModelShape ofLayers(int count) {
    return with(count, 0, false, count, adaptsVocabulary);
  }

  private ModelShape with(int count, int window, boolean chunked, int full, boolean adapts) {
    return new ModelShape(
        name,
        count,
        hidden,
        inner,
        innerMatrices,
        heads,
        keyHeads,
        headWidth,
        vocabulary,
        isTied,
        contextTokens,
        window,
        chunked,
        full,
        experts,
        activeExperts,
        count == layers ? states : StateLayers.NONE,
        hasOutputGate,
        adapts);
  }

  /** Number of weights; norms and biases are left out but for two vectors a layer. */
  public long parameters() {
    return parameters(experts);
  }

  private long parameters(int expertsOfLayer) {
    long attention =
        (long) hidden * headWidth * ((hasOutputGate ? 3L : 2L) * heads + 2L * keyHeads);
    long feedForward = (long) innerMatrices * hidden * inner * expertsOfLayer;
    long router = experts > 1 ? (long) hidden * experts : 0;
    return vocabularyParameters()
        + (layers - states.count()) * attention
        + states.count() * states.parameters(hidden)
        + layers * (feedForward + router + 2L * hidden)
        + hidden;
  }

  /** Number of weights of embedding and output. */
  long vocabularyParameters() {
    return (long) vocabulary * hidden * (isTied ? 1 : 2);
  }

  /**
   * The linear layers of a layer, in the order in which a token goes through them: queries, keys
   * and values in one, what is attended, gate and input of the feed-forward part in one, its
   * output.
   *
   * @param gpus GPUs that share each layer; what one of them has
   */
  public List<LinearShape> linears(int gpus) {
    long queryWidth = (long) heads / gpus * headWidth;
    long keyWidth = (long) Math.max(1, keyHeads / gpus) * headWidth;
    long innerWidth = Math.max(1, inner / gpus);
    return List.of(
        new LinearShape(AdapterTarget.QUERIES, hidden, List.of(queryWidth, keyWidth, keyWidth), 1),
        new LinearShape(AdapterTarget.ATTENDED, queryWidth, List.of((long) hidden), 1),
        new LinearShape(
            AdapterTarget.UP, hidden, Collections.nCopies(innerMatrices - 1, innerWidth), experts),
        new LinearShape(AdapterTarget.DOWN, innerWidth, List.of((long) hidden), experts));
  }

  /**
   * The model in a format, or the part of it that each of several GPUs has.
   *
   * @param gpus GPUs that share each layer (tensor parallelism)
   * @param weightBytes bytes of a weight
   * @param valueBytes bytes of a number in keys and values
   * @throws IllegalArgumentException where the heads cannot be shared so
   */
  public ServedModel served(int gpus, int weightBytes, int valueBytes) {
    if (heads % gpus != 0 || keyHeads % gpus != 0 && gpus % keyHeads != 0) {
      throw new IllegalArgumentException(
          "%d GPUs cannot share %d heads and %d heads of keys evenly"
              .formatted(gpus, heads, keyHeads));
    }
    if (!states.isSharedBy(gpus)) {
      throw new IllegalArgumentException(
          "%d GPUs cannot share the %d and %d heads of a state evenly"
              .formatted(gpus, states.keyHeads(), states.valueHeads()));
    }
    int ownKeyHeads = Math.max(1, keyHeads / gpus);
    long layerTokenBytes = 2L * ownKeyHeads * headWidth * valueBytes;
    List<LayerGroup> groups = new ArrayList<>();
    if (fullLayers > 0) {
      groups.add(new LayerGroup(fullLayers, layerTokenBytes, 0));
    }
    int windowed = layers - fullLayers - states.count();
    if (windowed > 0) {
      groups.add(new LayerGroup(windowed, layerTokenBytes, windowTokens, isChunked));
    }
    if (states.count() > 0) {
      groups.add(LayerGroup.state(states.count(), layerTokenBytes, states.bytes(gpus)));
    }
    long matrices = parameters(activeExperts) - (isTied ? 0 : (long) vocabulary * hidden);
    return new ServedModel(
        name,
        hidden,
        Math.max(1, inner * activeExperts / gpus),
        vocabulary,
        heads / gpus * headWidth,
        parameters() * weightBytes / gpus,
        0,
        matrices / gpus,
        contextTokens,
        groups);
  }
}
