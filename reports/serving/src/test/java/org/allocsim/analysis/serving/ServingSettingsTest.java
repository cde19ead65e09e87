package org.allocsim.analysis.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.ServedModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sequences of 4096 tokens in 1000 blocks of 16, in steps of 512. */
class ServingSettingsTest {
  private static final int TOKEN_BYTES = 1024;

  private static ServedModel model(LayerGroup... groups) {
    return new ServedModel("test", 1, 1, 1, 1, 1, 0, 1, 4096, List.of(groups));
  }

  private static ServingSettings settings() {
    ServingSettings usual = ServingSettings.usual(4096);
    return new ServingSettings(
        usual.mostSequences(),
        512,
        4096,
        16,
        0,
        usual.pageBytes(),
        Optional.empty(),
        usual.sglang());
  }

  /** Tokens in 1000 blocks of groups of so many layers. */
  private static long tokens(ServedModel model, int groupLayers, String release) {
    long cacheBytes = 1000L * 16 * TOKEN_BYTES * groupLayers;
    return settings().cacheTokens(model, cacheBytes, VllmRelease.of(release));
  }

  @Test
  void layersThatStoreAllTokensFillTheCache() {
    assertEquals(16_000, tokens(model(new LayerGroup(12, TOKEN_BYTES, 0)), 12, "0.29"));
  }

  /** A sequence takes 256 blocks of tokens and one or two in each of three groups of states. */
  @ParameterizedTest
  @CsvSource({"0.26, 259", "0.29, 262"})
  void layersThatKeepAStateTakeBlocksToo(String release, int blocks) {
    ServedModel model =
        model(new LayerGroup(12, TOKEN_BYTES, 0), LayerGroup.state(36, TOKEN_BYTES, 4096));
    assertEquals(1000L * 4096 / blocks, tokens(model, 12, release));
  }

  /** Of 4096 tokens a window of 1024 and steps in flight are kept, and a block at its start. */
  @ParameterizedTest
  @CsvSource({"0.25, 512", "0.26, 1024"})
  void layersWithAWindowTakeTheWindowAndTheStepsInFlight(String release, int inFlight) {
    ServedModel model =
        model(new LayerGroup(10, TOKEN_BYTES, 0), new LayerGroup(20, TOKEN_BYTES, 1024));
    int blocks = 256 + 2 * ((1023 + inFlight + 15) / 16 + 1);
    assertEquals(1000L * 4096 / blocks, tokens(model, 10, release));
  }

  /** 12 and 17 layers are two groups of 17 since 0.18, before that three of 12. */
  @ParameterizedTest
  @CsvSource({"0.17, 12, 3", "0.18, 17, 2"})
  void theReleaseDecidesWhatIsPadded(String release, int groupLayers, int groups) {
    ServedModel model =
        model(new LayerGroup(17, TOKEN_BYTES, 0), new LayerGroup(12, TOKEN_BYTES, 4096));
    int sliding = 256 + 1;
    assertEquals(
        1000L * 4096 / ((groups - 1) * 256 + sliding), tokens(model, groupLayers, release));
  }
}
