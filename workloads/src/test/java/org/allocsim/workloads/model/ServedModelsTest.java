package org.allocsim.workloads.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServedModelsTest {
  private static final String LLAMA =
      """
      {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
       "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
       "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false,
       "max_position_embeddings": 131072, "rope_scaling": {"factor": 8.0}}
      """;

  @TempDir private Path folder;

  private ModelShape read(String text) throws IOException, TraceFormatException {
    return ModelConfig.read(Files.writeString(folder.resolve("config.json"), text), "mine");
  }

  /** As the models' cards give them. */
  @ParameterizedTest
  @CsvSource({
    "llama-3.1-8b,  8030261248",
    "llama-3.1-70b, 70553706496",
    "mistral-7b,    7241732096",
    "yi-6b,         6061035520",
    "yi-34b,        34388917248",
  })
  void weightsAreCountedAsPublished(String model, long parameters) {
    assertEquals(parameters, ServedModels.named(model).parameters());
  }

  /**
   * PagedAttention, section 3: 800 KB for a token of OPT-13B. vAttention, table 1: 64 KB, 240 KB.
   */
  @ParameterizedTest
  @CsvSource({"opt-13b, 819200", "yi-6b, 65536", "yi-34b, 245760", "llama-3.1-8b, 131072"})
  void aTokenTakesWhatThePapersSay(String model, long bytes) {
    assertEquals(bytes, ServedModels.named(model).served(1, 2, 2).tokenBytes());
  }

  @Test
  void severalGpusShareHeadsAndWeights() {
    ServedModel half = ServedModels.named("llama-3.1-8b").served(2, 2, 2);
    assertEquals(8_030_261_248L, half.weightBytes());
    assertEquals(65_536, half.tokenBytes());
    assertEquals(16_384, ServedModels.named("llama-3.1-8b").served(16, 2, 2).tokenBytes());
    assertThrows(
        IllegalArgumentException.class, () -> ServedModels.named("llama-3.1-8b").served(3, 2, 2));
  }

  /** As Unsloth and LLaMA-Factory print them for rank 16 and all linear layers. */
  @ParameterizedTest
  @CsvSource({
    "llama-3.1-8b, 41943040",
    "mistral-7b,   41943040",
    "qwen2.5-7b,   40370176",
    "qwen3-8b,     43646976",
  })
  void adaptersHaveAsManyNumbersAsTrainersPrint(String model, long count) {
    Set<AdapterTarget> linears =
        AdapterTarget.named(List.of("qkv_proj", "o_proj", "gate_proj", "up_proj", "down_proj"));
    assertEquals(count, new Adapters(1, 16, linears).parameters(ServedModels.named(model), 1));
  }

  @Test
  void embeddingAndOutputHaveAdaptersWhereTheFamilyAllowsIt() {
    Set<AdapterTarget> both = AdapterTarget.named(List.of("embed_tokens", "lm_head"));
    Adapters adapters = new Adapters(4, 8, both);
    assertEquals(
        2L * 4 * 8 * (128_256 + 4096), adapters.parameters(ServedModels.named("llama-3.1-8b"), 2));
    assertEquals(0, adapters.parameters(ServedModels.named("qwen2.5-7b"), 1));
  }

  /**
   * Of what is split by outputs the first factor is whole, of what is split by inputs the second.
   */
  @Test
  void severalGpusShareOneFactorOfEachLayer() {
    Adapters up = new Adapters(1, 8, AdapterTarget.named(List.of("gate_up_proj")));
    Adapters down = new Adapters(1, 8, AdapterTarget.named(List.of("down_proj")));
    ModelShape llama = ServedModels.named("llama-3.1-8b");
    assertEquals(32L * 8 * 2 * (4096 + 14_336 / 4), up.parameters(llama, 4));
    assertEquals(32L * 8 * (14_336 / 4 + 4096), down.parameters(llama, 4));
  }

  @Test
  void everyExpertHasBothFactors() throws Exception {
    ModelShape experts =
        read(
            LLAMA.replace(
                "\"hidden_size\"",
                "\"num_local_experts\": 8, \"num_experts_per_tok\": 2, \"hidden_size\""));
    Adapters adapters = new Adapters(3, 8, AdapterTarget.named(List.of("experts")));
    assertEquals(3L * 8 * 8 * 32 * 3 * (4096 + 14_336), adapters.parameters(experts, 1));
  }

  @Test
  void anUnknownModuleIsNamed() {
    assertEquals(
        "unknown module 'c_attn'; known are qkv_proj, q_proj, k_proj, v_proj, o_proj, gate_up_proj,"
            + " gate_proj, up_proj, experts, down_proj, embed_tokens, lm_head",
        assertThrows(IllegalArgumentException.class, () -> AdapterTarget.named(List.of("c_attn")))
            .getMessage());
  }

  /** EAGLE's README (SafeAILab/EAGLE): 0.25 and 0.99 billion weights. */
  @ParameterizedTest
  @CsvSource({"llama-3.1-8b, 0.25", "llama-3.1-70b, 0.99"})
  void aHeadHasAsManyWeightsAsPublished(String model, double billions) {
    Draft head = new Draft(ServedModels.named(model).ofLayers(1), true, 4);
    assertEquals(billions, Math.round(head.served(1, 1, 2).weightBytes() / 1e7) / 100.0);
  }

  @Test
  void layersThatAreAlikeAreOneGroupWithTheDraftsToo() throws Exception {
    ServedModel gemma = ServedModels.named("gemma-3-27b").served(1, 2, 2);
    ServedModel head = Draft.named("eagle", ServedModels.named("gemma-3-27b"), 2).served(1, 2, 2);
    assertEquals(
        List.of(new LayerGroup(11, 8192, 0), new LayerGroup(52, 8192, 1024)),
        gemma.groupsWith(head));
    assertEquals(3, gemma.groupsWith(ServedModels.named("llama-3.1-8b").served(1, 2, 2)).size());
  }

  @Test
  void layersWithAWindowAreAGroupOfTheirOwn() {
    assertEquals(
        List.of(new LayerGroup(10, 8192, 0), new LayerGroup(52, 8192, 1024)),
        ServedModels.named("gemma-3-27b").served(1, 2, 2).groups());
    ServedModel model = ServedModels.named("gemma-3-27b").served(1, 2, 2);
    assertEquals(8192L * (10 * 5000 + 52 * 1023), model.readBytes(5000));
  }

  @Test
  void aConfigurationSaysTheSizes() throws Exception {
    ModelShape shape = read(LLAMA);
    assertEquals(8_030_261_248L, shape.parameters());
    assertEquals(131_072, shape.served(1, 2, 2).tokenBytes());
    assertEquals(131_072, shape.contextTokens());
  }

  @Test
  void aConfigurationSaysWindowsAndExperts() throws Exception {
    ModelShape gemma =
        read(
            """
            {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
             "hidden_size": 5376, "intermediate_size": 21504, "num_hidden_layers": 62,
             "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128,
             "vocab_size": 262208, "sliding_window": 1024, "sliding_window_pattern": 6}}
            """);
    assertEquals(ServedModels.named("gemma-3-27b").parameters(), gemma.parameters());
    assertEquals(10, gemma.fullLayers());
    ModelShape typed =
        read(
            LLAMA.replace(
                "\"hidden_size\"",
                "\"sliding_window\": 64, \"layer_types\": [\"sliding_attention\","
                    + " \"full_attention\"], \"hidden_size\""));
    assertEquals(1, typed.fullLayers());
    ModelShape mixtral =
        read(
            LLAMA.replace(
                "\"hidden_size\"",
                "\"num_local_experts\": 8, \"num_experts_per_tok\": 2," + " \"hidden_size\""));
    assertEquals(8, mixtral.experts());
    assertTrue(mixtral.served(1, 2, 2).activeParameters() < mixtral.parameters() / 3);
  }

  /**
   * Layers with a state of 32 heads of 128 by 128, as Qwen3-Next and Qwen3.5 have. vLLM's log for
   * such a model with four heads of keys and 32-bit states (pull request 37467): blocks of 528
   * tokens, 0.76 % larger than a state.
   */
  @Test
  void aConfigurationSaysStates() throws Exception {
    String config =
        """
        {"model_type": "qwen3_5", "text_config": {"model_type": "qwen3_5_text",
         "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 32,
         "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 256,
         "vocab_size": 248320, "full_attention_interval": 4, "mamba_ssm_dtype": "float32",
         "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_key_head_dim": 128,
         "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4}}
        """;
    ServedModel model = read(config).served(1, 2, 2);
    LayerGroup states = model.groups().getLast();
    assertEquals(List.of(8, 24), model.groups().stream().map(LayerGroup::layers).toList());
    assertEquals(3 * 8192 * 2 + 32 * 128 * 128 * 4, states.stateBytes());
    assertEquals(528, model.blockTokens(16));
    assertEquals(76, Math.round(10_000 * (528.0 * states.tokenBytes() / states.stateBytes() - 1)));
    assertEquals(8 * 4096, model.tokenBytes(), "none for the layers with states");
    assertEquals(24 * states.stateBytes(), model.stateBytes());
    assertEquals(8 * 4096 * 100 + model.stateBytes(), model.readBytes(100));
    ServedModel half = read(config).served(2, 2, 2);
    assertEquals(states.stateBytes() / 2, half.groups().getLast().stateBytes());
    TraceFormatException alone =
        assertThrows(
            TraceFormatException.class,
            () -> read(config.replace("interval\": 4", "interval\": 64")));
    assertTrue(alone.getMessage().contains("no layer stores keys"), alone.getMessage());
  }

  /** Published: 80 billion weights, 3 of them active. */
  @Test
  void statesAreCountedInTheWeights() {
    ModelShape next = ServedModels.named("qwen3-next-80b");
    assertEquals(80, Math.round(next.parameters() / 1e9));
    assertEquals(544, next.served(1, 2, 2).blockTokens(16));
    assertEquals(next.served(4, 2, 2).stateBytes() * 2, next.served(2, 2, 2).stateBytes());
    assertThrows(IllegalArgumentException.class, () -> next.served(32, 2, 2));
  }

  @Test
  void aConfigurationSaysChunks() throws Exception {
    String llama4 =
        """
        {"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 5120,
         "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_hidden_layers": 48,
         "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
         "vocab_size": 202048, "num_local_experts": 16, "num_experts_per_tok": 1,
         "max_position_embeddings": 10485760, "attention_chunk_size": 8192, MORE}}
        """;
    ModelShape scout = ServedModels.named("llama-4-scout");
    assertEquals(
        List.of(new LayerGroup(12, 4096, 0), new LayerGroup(36, 4096, 8192, true)),
        scout.served(1, 2, 2).groups());
    ModelShape read = read(llama4.replace("MORE", "\"no_rope_layer_interval\": 4"));
    assertEquals(scout.parameters(), read.parameters());
    assertEquals(108, Math.round(scout.parameters() / 1e9), "109 with the encoder of images");
    assertEquals(scout.served(8, 2, 2).groups(), read.served(8, 2, 2).groups());
    assertEquals(2, read(llama4.replace("MORE", "\"no_rope_layers\": [1, 0, 1, 0]")).fullLayers());
    String message =
        assertThrows(
                TraceFormatException.class,
                () -> read(llama4.replace("MORE", "\"interleave_moe_layer_step\": 2")))
            .getMessage();
    assertTrue(message.contains("not every layer has experts"), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[]|it is not a JSON object; give the model's config.json.",
        "{\"hidden_size\"|it is not valid JSON",
        "{\"hidden_size\": 64}|field \"num_hidden_layers\" is missing",
        "{\"num_hidden_layers\": -1}|field \"num_hidden_layers\" is not a size from 1 to 16777216",
        "{\"num_hidden_layers\": 99999}|num_hidden_layers is 99999",
        "{\"kv_lora_rank\": 512}|the model stores compressed keys",
      })
  void aBadConfigurationIsRefusedWithTheReason(String text, String sentence) {
    TraceFormatException failure = assertThrows(TraceFormatException.class, () -> read(text));
    assertTrue(failure.getMessage().contains(sentence), failure.getMessage());
  }

  @Test
  void anUnknownNameGetsASimilarOne() {
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> ServedModels.named("llama-3.1-8"))
            .getMessage()
            .contains("llama-3.1-8b"));
  }
}
