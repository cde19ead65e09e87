package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A parsed configuration string has the values that PyTorch wrote beside it. */
class ConfigRecordingTest {
  @ParameterizedTest
  @MethodSource("org.allocsim.validation.recordings.Recordings#snapshots")
  void settingsOfARecordedStringAreTheRecordedOnes(String name) throws Exception {
    SnapshotSettings recorded =
        SnapshotReader.read(Recordings.file(name), (done, total) -> {}).settings();
    assertTrue(recorded.present());
    ParsedConfig parsed = ConfigParser.parse(recorded.conf(), PyTorchVersion.V2_11);
    AllocatorConfig config = parsed.allocator();
    assertEquals(recorded.maxSplitBytes(), config.maxSplitBytes());
    assertEquals(recorded.garbageCollectionThreshold(), config.garbageCollectionThreshold());
    assertEquals(recorded.expandableSegments(), config.expandableSegments());
    assertEquals(recorded.roundupDivisions(), config.roundupDivisions());
    assertEquals(recorded.graphCaptureRecordStreamReuse(), config.graphCaptureRecordStreamReuse());
    assertEquals(recorded.pinnedNumRegisterThreads(), parsed.pinnedNumRegisterThreads());
    assertEquals(recorded.releaseLockOnCudamalloc(), parsed.releaseLockOnCudaMalloc());
    assertEquals(recorded.pinnedUseCudaHostRegister(), parsed.pinnedUseCudaHostRegister());
  }
}
