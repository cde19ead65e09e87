package org.allocsim.analysis.serving.kvcache;

import org.allocsim.simulator.policy.RecordedScript;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Operations on caches whose results were the same as those of their sources when they were
 * recorded: vLLM at the commits of {@link PagedRules} and at 15b1511 (December 2025), kvcached at
 * e8e6406 (August 2026).
 */
class RecordedScriptsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.12",
        "0.19",
        "0.21",
        "0.23",
        "0.24",
        "0.26",
        "0.29",
        "chunks-0.12",
        "chunks-0.23",
        "chunks-0.29",
        "states-0.12",
        "states-0.28",
        "states-0.29"
      })
  void thePagedCacheDoesWhatEachReleaseDid(String release) {
    RecordedScript.check(PagedScript.class, "paged-" + release + ".txt", PagedScript::replay);
  }

  @ParameterizedTest
  @ValueSource(strings = {"wide", "narrow"})
  void thePagesAreTakenAndGivenBackAsKvcachedDid(String blocks) {
    RecordedScript.check(PagesScript.class, "pages-" + blocks + ".txt", PagesScript::replay);
  }
}
