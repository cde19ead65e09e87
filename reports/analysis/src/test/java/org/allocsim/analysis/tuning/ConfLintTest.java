package org.allocsim.analysis.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfLintTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expandable_segments:True,max_split_size_mb:128 | 2.12 | LINUX | false | DANGEROUS ERROR",
        "expandable_segments:True,max_split_size_mb:128 | 2.11 | LINUX | false | DANGEROUS ERROR",
        "expandable_segments:True,max_split_size_mb:128 | 2.9 | LINUX | false | DANGEROUS WARNING",
        "expandable_segments:True,max_split_size_mb:128 | 2.4 | LINUX | false | DANGEROUS ERROR",
        "expandable_segments:True | 2.11 | WINDOWS | false | UNSUPPORTED ERROR",
        "expandable_segments:True | 2.11 | WSL | false | UNSUPPORTED ERROR",
        "expandable_segments:True | 2.0 | LINUX | false | ILLEGAL ERROR",
        "garbage_collection_threshold:0.8 | 2.11 | LINUX | false | INERT WARNING",
        "garbage_collection_threshold:0.8,expandable_segments:True | 2.11 | LINUX | true | INERT"
            + " WARNING",
        "garbage_collection_threshold:0.8,expandable_segments:True | 2.4 | LINUX | true | DANGEROUS"
            + " ERROR",
        "backend:cudaMallocAsync,max_split_size_mb:64 | 2.11 | LINUX | false | IGNORED WARNING",
        "max_non_split_rounding_mb:64 | 2.11 | LINUX | false | INERT WARNING",
        "roundup_power2_divisions:1 | 2.11 | LINUX | false | INERT WARNING",
        "max_split_size_mb:10 | 2.11 | LINUX | false | ILLEGAL ERROR",
        "max_split_size_mb:20 | 2.8 | LINUX | false | ILLEGAL ERROR",
        "max_split_size_mb:32,large_segment_size_mb:64 | 2.11 | LINUX | false | ILLEGAL ERROR",
        "large_segment_size_mb:32 | 2.10 | LINUX | false | ILLEGAL ERROR",
        "expandable_segments:True,large_segment_size_mb:21 | 2.14 | LINUX | false | DANGEROUS"
            + " ERROR",
        "nonsense:1 | 2.11 | LINUX | false | ILLEGAL ERROR",
        "nonsense:1 | 2.15 | LINUX | false | IGNORED ERROR",
        "expandable_segments:True,expandable_segments_reserve:0.5 | 2.14 | LINUX | false | ILLEGAL"
            + " ERROR",
        "expandable_segments:True,expandable_segments_reserve:0.5 | 2.15 | LINUX | false |"
            + " DANGEROUS WARNING",
        "expandable_segments:True,expandable_segments_reserve:half | 2.15 | LINUX | false | IGNORED"
            + " ERROR",
        "expandable_segments_reserve:40G | 2.15 | LINUX | false | INERT WARNING",
        "expandable_segments:True,expandable_segments_reserve_by_class:[serving:8G] | 2.15 | LINUX"
            + " | false | INERT WARNING",
      })
  void settingsThatDoNotDoWhatTheySayAreFound(
      String conf, String version, Platform platform, boolean limited, String expected) {
    List<LintFinding> findings =
        ConfLint.check(conf, PyTorchVersion.of(version), platform, limited);
    assertEquals(1, findings.size(), findings.toString());
    LintFinding finding = findings.getFirst();
    assertEquals(expected, finding.kind() + " " + finding.severity(), finding.message());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "expandable_segments:True",
        "max_split_size_mb:128",
        "large_segment_size_mb:21",
        "expandable_segments:True,large_segment_size_mb:22",
        "max_split_size_mb:128,max_non_split_rounding_mb:64",
        "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
        "garbage_collection_threshold:0.8,per_process_memory_fraction:0.5",
        "backend:cudaMallocAsync",
        "backend:native,max_split_size_mb:64",
      })
  void settingsThatTakeEffectAreLeftAlone(String conf) {
    assertEquals(
        List.of(), ConfLint.check(conf, PyTorchVersion.V2_11, Platform.LINUX, false), conf);
  }

  @ParameterizedTest
  @EnumSource(PyTorchVersion.class)
  void whatEveryReleaseKnowsIsLeftAlone(PyTorchVersion version) {
    List<String> confs = new ArrayList<>(List.of("", "max_split_size_mb:128"));
    if (version.isAtLeast(PyTorchVersion.V2_1)) {
      confs.add("expandable_segments:True");
      confs.add("backend:cudaMallocAsync");
    }
    for (String conf : confs) {
      assertEquals(List.of(), ConfLint.check(conf, version, Platform.LINUX, false), conf);
    }
  }

  @Test
  void garbageCollectionWithAMemoryFractionTakesEffect() {
    String conf = "garbage_collection_threshold:0.8";
    assertEquals(List.of(), ConfLint.check(conf, PyTorchVersion.V2_11, Platform.LINUX, true));
    // A fraction of 1 was a limit of its own up to 2.8.
    assertEquals(List.of(), ConfLint.check(conf, PyTorchVersion.V2_8, Platform.LINUX, false));
  }

  @ParameterizedTest
  @CsvSource({
    "PYTORCH_CUDA_ALLOC_CONF, 2.9, 0",
    "PYTORCH_CUDA_ALLOC_CONF, 2.12, 0",
    "PYTORCH_ALLOC_CONF, 2.9.1, 1",
    "PYTORCH_ALLOC_CONF, 2.10, 0",
    "PYTORCH_CUDA_ALOC_CONF, 2.11, 1",
    "PYTORCH_HIP_ALLOC_CONF, 2.11, 1",
  })
  void variablesThatAreNotReadAreFound(String variable, String version, int findings) {
    List<LintFinding> found = ConfLint.checkVariable(variable, PyTorchVersion.of(version));
    assertEquals(findings, found.size());
    assertTrue(found.stream().allMatch(finding -> finding.message().contains("ignored")));
  }

  @Test
  void theVariableToPasteIsReadByTheRelease() {
    for (PyTorchVersion version : PyTorchVersion.values()) {
      assertEquals(List.of(), ConfLint.checkVariable(ConfLint.variable(version), version));
    }
  }
}
