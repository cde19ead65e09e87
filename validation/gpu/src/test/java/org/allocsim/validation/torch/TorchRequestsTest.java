package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TorchRequestsTest {
  private static final PoolId POOL = new PoolId(3, 0);

  @TempDir private Path folder;

  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();

  private TorchRequests requests() {
    return TorchRequests.of(trace.build(new StackTable.Builder().build()), 0);
  }

  private List<String> lines(TorchRequests requests) throws IOException {
    Path file = folder.resolve("requests");
    requests.write(file);
    return Files.readAllLines(file);
  }

  @Test
  void everyRequestThatPyTorchCanServeIsSent() throws IOException {
    trace.declareStream(0);
    int first = trace.allocate(100, 0, PoolId.DEFAULT);
    int second = trace.allocate(200, 7, POOL);
    trace.markerBegin("step");
    trace.useStream(first, 7, 0);
    trace.free(first);
    trace.synchronize();
    trace.synchronizeStream(7);
    trace.emptyCache();
    trace.snapshot();
    trace.markerEnd("step");
    trace.free(second);
    trace.releasePool(POOL);
    trace.emptyPool(POOL);
    TorchRequests requests = requests();
    assertEquals(
        List.of("a 0 100 0 0", "a 1 200 1 1", "u 0 1", "f 0", "s", "w 1", "e", "n", "f 1", "p 1"),
        lines(requests));
    assertEquals(Map.of(), requests.skipped());
    assertFalse(requests.holds());
    assertTrue(requests.otherStreams() + requests.spareStreams() > 0);
  }

  @Test
  void whatPyTorchCannotBeAskedForIsCounted() throws IOException {
    int first = trace.allocate(100, 0, PoolId.DEFAULT);
    int restored = trace.restoreBlock(512, 0, POOL, first, 1024);
    trace.useStream(restored, 5, 0);
    trace.useComplete(restored);
    trace.free(restored);
    trace.free(first);
    trace.useStream(first, 5, 0);
    trace.emptyPool(POOL);
    TorchRequests requests = requests();
    assertEquals(List.of("a 0 100 0 0", "f 0"), lines(requests));
    assertEquals(
        Map.of(
            "blocks restored by CUDA graph trees",
            1,
            "ends of uses of omitted blocks",
            1,
            "frees of omitted blocks",
            1,
            "memory releases of pools with an owner",
            1,
            "uses of blocks that were omitted or already freed",
            2),
        requests.skipped());
  }

  @Test
  void onlyTheRequestsOfOneDeviceAreSent() throws IOException {
    trace.at(1, 0, 0);
    trace.allocate(100, 0, PoolId.DEFAULT);
    trace.at(0, 0, 0);
    trace.allocate(200, 0, PoolId.DEFAULT);
    assertEquals(List.of("a 0 200 0 0"), lines(requests()));
  }

  @Test
  void aStreamIsHeldOnlyWhereAUseEndsLaterThanTheNextRequest() {
    int first = trace.allocate(100, 0, PoolId.DEFAULT);
    trace.useStream(first, 5, 0);
    trace.free(first);
    trace.allocate(100, 0, PoolId.DEFAULT);
    trace.useComplete(first);
    assertTrue(requests().holds());
  }

  @Test
  void usesOnUnknownStreamsGetStreamsOfTheirOwn() {
    int first = trace.allocate(100, 0, PoolId.DEFAULT);
    trace.useUnknownStream(first, 0);
    trace.free(first);
    trace.synchronize();
    TorchRequests requests = requests();
    assertEquals(0, requests.otherStreams());
    assertEquals(1, requests.spareStreams());
  }

  @Test
  void waitsInsideTheAllocatorEndTheUsesOfWhatWasGivenBack() throws IOException {
    int first = trace.allocate(100, 0, PoolId.DEFAULT);
    trace.useStream(first, 5, 0);
    trace.free(first);
    trace.allocate(200, 0, PoolId.DEFAULT);
    trace.allocate(300, 0, PoolId.DEFAULT);
    assertEquals(
        List.of("a 0 100 0 0", "u 0 1", "f 0", "a 1 200 0 0", "c 0 -1", "a 2 300 0 0"),
        lines(requests().endingUses(List.of(1))));
  }
}
