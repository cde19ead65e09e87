package org.allocsim.workloads.model;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.allocsim.workloads.format.TraceFormatException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the sizes of a model from the {@code config.json} that is published with it, in the form of
 * Hugging Face's transformers. Of a model with several parts the text's counts ({@code
 * text_config}).
 */
public final class ModelConfig {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final int MOST_BYTES = 1 << 20;
  private static final long MOST = 1 << 24;
  private static final int MOST_LAYERS = 1024;
  private static final String TEXT = "text_config";
  private static final String LAYER_TYPES = "layer_types";
  private static final String FULL = "full_attention";

  /** Llama 4's layers without positions look back at everything: their entries are 0. */
  private static final String UNROTATED = "no_rope_layers";

  private static final String CHUNK = "attention_chunk_size";
  private static final String EXPERT_STEP = "interleave_moe_layer_step";
  private static final int UNROTATED_INTERVAL = 4;
  private static final String STATE_HEADS = "linear_num_value_heads";
  private static final String SHARED_WIDTH = "shared_expert_intermediate_size";
  private static final int FULL_INTERVAL = 4;

  /** Families whose feed-forward part has no gate, and those that share the embedding's matrix. */
  private static final Set<String> UNGATED = Set.of("opt", "gpt2", "gpt_neox", "gptj", "phi");

  private static final Set<String> TIED = Set.of("opt", "gpt2", "gemma", "gemma2", "gemma3_text");

  /** Families to whose embedding and output vLLM gives adapters ({@code embedding_modules}). */
  private static final Set<String> ADAPTED = Set.of("llama", "mistral", "mixtral", "qwen3");

  private final String file;
  private final Map<String, Object> fields = new HashMap<>();

  private ModelConfig(String file) {
    this.file = file;
  }

  /**
   * Reads a file.
   *
   * @param name what to call the model
   * @throws TraceFormatException where it cannot be read or lacks a size
   */
  public static ModelShape read(Path file, String name) throws TraceFormatException {
    ModelConfig config = new ModelConfig(file.toString());
    config.parse(bytes(file));
    return config.shape(name);
  }

  private static byte[] bytes(Path file) throws TraceFormatException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length <= MOST_BYTES) {
        return bytes;
      }
    } catch (IOException e) {
      throw new TraceFormatException(
          file.toString(), "", "it cannot be read (" + e.getMessage() + ")", "check the file");
    }
    throw new TraceFormatException(
        file.toString(), "", "it has more than 1 MiB", "give the model's config.json");
  }

  private void parse(byte[] bytes) throws TraceFormatException {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw failure("it is not a JSON object", "give the model's config.json");
      }
      object(json);
    } catch (JacksonException _) {
      throw failure("it is not valid JSON", "give the model's config.json");
    }
  }

  private void object(JsonParser json) throws TraceFormatException {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      JsonToken token = json.nextToken();
      if (token == JsonToken.START_OBJECT && name.equals(TEXT)) {
        object(json);
      } else if (token == JsonToken.START_ARRAY && name.equals(UNROTATED)) {
        long full = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          full +=
              json.currentToken() == JsonToken.VALUE_NUMBER_INT && json.getLongValue() == 0 ? 1 : 0;
        }
        fields.put(UNROTATED, full);
      } else if (token == JsonToken.START_ARRAY && name.equals(LAYER_TYPES)) {
        long full = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          full += FULL.equals(json.getValueAsString()) ? 1 : 0;
        }
        fields.put(LAYER_TYPES, full);
      } else {
        scalar(json, name, token);
      }
    }
  }

  private void scalar(JsonParser json, String name, JsonToken token) {
    switch (token) {
      case VALUE_NUMBER_INT -> fields.put(name, json.getLongValue());
      case VALUE_TRUE -> fields.put(name, true);
      case VALUE_FALSE -> fields.put(name, false);
      case VALUE_STRING -> fields.put(name, json.getString());
      default -> json.skipChildren();
    }
  }

  private ModelShape shape(String name) throws TraceFormatException {
    if (fields.containsKey("kv_lora_rank")) {
      throw failure(
          "the model stores compressed keys (kv_lora_rank)",
          "give one that stores keys and values for each head");
    }
    String family = fields.getOrDefault("model_type", "").toString();
    int layers = number("num_hidden_layers", -1);
    if (layers > MOST_LAYERS) {
      throw failure("num_hidden_layers is " + layers, "give at most " + MOST_LAYERS);
    }
    int hidden = number("hidden_size", -1);
    int heads = number("num_attention_heads", -1);
    int experts = number("num_local_experts", number("num_experts", 1));
    boolean isLlama4 = family.startsWith("llama4");
    if (isLlama4 && number(EXPERT_STEP, 1) > 1) {
      throw failure(
          "not every layer has experts (" + EXPERT_STEP + ")",
          "give a model whose layers have the same sizes");
    }
    // Each of Llama 4's tokens goes through a further one that they share.
    int sharedExperts = isLlama4 ? 1 : 0;
    boolean isChunked = isLlama4 && fields.get(CHUNK) instanceof Long;
    StateLayers states = states(layers);
    if (states.count() > 0 && experts > 1 && fields.get(SHARED_WIDTH) instanceof Long) {
      if (number(SHARED_WIDTH, -1) != number("moe_intermediate_size", -1)) {
        throw failure(
            "the expert that all tokens share has another size (" + SHARED_WIDTH + ")",
            "give a model whose experts have the same size");
      }
      sharedExperts = 1;
    }
    int window = isChunked ? number(CHUNK, -1) : window();
    return new ModelShape(
        name,
        layers,
        hidden,
        number(
            experts > 1 && fields.containsKey("moe_intermediate_size")
                ? "moe_intermediate_size"
                : fields.containsKey("ffn_dim") ? "ffn_dim" : "intermediate_size",
            -1),
        UNGATED.contains(family) ? 2 : 3,
        heads,
        number("num_key_value_heads", heads),
        number("head_dim", Math.max(1, hidden / heads)),
        number("vocab_size", -1),
        Boolean.TRUE.equals(fields.getOrDefault("tie_word_embeddings", TIED.contains(family))),
        number("max_position_embeddings", 2048),
        window,
        isChunked,
        window == 0 ? layers - states.count() : fullLayers(family, layers),
        experts + sharedExperts,
        experts == 1 ? 1 : number("num_experts_per_tok", -1) + sharedExperts,
        states,
        states.count() > 0 && !Boolean.FALSE.equals(fields.get("attn_output_gate")),
        ADAPTED.contains(family));
  }

  /** Layers of Qwen3-Next and Qwen3.5 that keep a state: all but one of so many. */
  private StateLayers states(int layers) throws TraceFormatException {
    if (!fields.containsKey(STATE_HEADS)) {
      return StateLayers.NONE;
    }
    int full =
        fields.get(LAYER_TYPES) instanceof Long typed
            ? (int) Math.min(layers, typed)
            : layers / number("full_attention_interval", FULL_INTERVAL);
    if (full == 0) {
      throw failure("no layer stores keys and values", "give a model some of whose layers do");
    }
    int valueHeads = number(STATE_HEADS, -1);
    return full == layers
        ? StateLayers.NONE
        : new StateLayers(
            layers - full,
            number("linear_num_key_heads", -1),
            valueHeads,
            number("linear_key_head_dim", -1),
            number("linear_value_head_dim", -1),
            number("linear_conv_kernel_dim", -1),
            "float32".equals(fields.get("mamba_ssm_dtype")) ? Float.BYTES : ModelShape.HALF_BYTES);
  }

  private int window() throws TraceFormatException {
    return Boolean.FALSE.equals(fields.get("use_sliding_window"))
            || !(fields.get("sliding_window") instanceof Long)
        ? 0
        : number("sliding_window", -1);
  }

  private int fullLayers(String family, int layers) throws TraceFormatException {
    if (fields.get(LAYER_TYPES) instanceof Long full) {
      return (int) Math.min(layers, full);
    }
    if (fields.get(UNROTATED) instanceof Long full) {
      return (int) Math.min(layers, full);
    }
    if (family.startsWith("llama4")) {
      return layers / number("no_rope_layer_interval", UNROTATED_INTERVAL);
    }
    int pattern = number("sliding_window_pattern", family.equals("gemma2") ? 2 : 1);
    return pattern == 1 ? 0 : layers / pattern;
  }

  /**
   * A size.
   *
   * @param missing what counts where it is missing; −1 where it must be there
   */
  private int number(String name, int missing) throws TraceFormatException {
    Object value = fields.get(name);
    if (value == null && missing >= 0) {
      return missing;
    }
    if (value instanceof Long number && number >= 1 && number <= MOST) {
      return number.intValue();
    }
    throw failure(
        "field \"" + name + "\" is " + (value == null ? "missing" : "not a size from 1 to " + MOST),
        "give the model's whole config.json");
  }

  private TraceFormatException failure(String cause, String remedy) {
    return new TraceFormatException(file, "", cause, remedy);
  }
}
