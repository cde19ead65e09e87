package org.allocsim.workloads.format.pytorch.derive;

import static org.allocsim.workloads.format.pytorch.SnapshotData.block;
import static org.allocsim.workloads.format.pytorch.SnapshotData.dict;
import static org.allocsim.workloads.format.pytorch.SnapshotData.event;
import static org.allocsim.workloads.format.pytorch.SnapshotData.list;
import static org.allocsim.workloads.format.pytorch.SnapshotData.segment;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.SnapshotData;
import org.junit.jupiter.api.Test;

/** What a few entries of a history say of the requests behind them. */
class RequestDerivationTest {
  private static final long ADDRESS = 1L << 40;
  private static final long SEGMENT_BYTES = 20L << 20;
  private static final long BYTES = 4L << 20;

  private static DerivedRequests derive(List<Object> segments, Object... history) throws Exception {
    return RequestDerivation.derive(
        SnapshotData.readValue(dict("segments", segments, "device_traces", list(list(history)))),
        new DerivationOptions(AllocatorConfig.DEFAULT, PyTorchVersion.V2_11, -1, -1));
  }

  private static List<String> subjects(DerivedRequests derived) {
    return derived.inferences().stream().map(Inference::subject).toList();
  }

  private static List<String> rows(AllocationTrace trace) {
    return IntStream.range(0, trace.eventCount())
        .mapToObj(row -> trace.kind(row) + " " + trace.bytes(row))
        .toList();
  }

  @Test
  void aSegmentThatNothingElseReleasesIsAnEmptiedCache() throws Exception {
    DerivedRequests derived =
        derive(
            list(),
            event("segment_alloc", ADDRESS, SEGMENT_BYTES, 10),
            event("alloc", ADDRESS, BYTES, 10),
            event("free_requested", ADDRESS, BYTES, 11),
            event("free_completed", ADDRESS, BYTES, 11),
            event("segment_free", ADDRESS, SEGMENT_BYTES, 12));
    assertEquals(List.of("ALLOCATE " + BYTES, "FREE 0", "EMPTY_CACHE 0"), rows(derived.trace()));
    assertEquals(List.of(Inference.EMPTY_CACHE_CALLS), subjects(derived));
    assertEquals(0, derived.unexplainedEntries());
  }

  @Test
  void aSegmentThatIsReleasedBeforeAFailureIsNoEmptiedCache() throws Exception {
    DerivedRequests derived =
        derive(
            list(),
            event("segment_alloc", ADDRESS, SEGMENT_BYTES, 10),
            event("alloc", ADDRESS, BYTES, 10),
            event("free_requested", ADDRESS, BYTES, 11),
            event("free_completed", ADDRESS, BYTES, 11),
            event("segment_free", ADDRESS, SEGMENT_BYTES, 12),
            event("oom", 1L << 30, 1L << 31, 12));
    // What failed is given back at once, for settings under which it would have been served.
    assertEquals(
        List.of("ALLOCATE " + BYTES, "FREE 0", "ALLOCATE " + (1L << 31), "FREE 0"),
        rows(derived.trace()));
    assertEquals(0, derived.unexplainedEntries());
  }

  @Test
  void aFreeThatIsCompletedLaterWaitedForAnotherStream() throws Exception {
    DerivedRequests derived =
        derive(
            list(
                segment(
                    ADDRESS,
                    SEGMENT_BYTES,
                    list(
                        block(ADDRESS, BYTES, BYTES, "active_allocated"),
                        block(ADDRESS + BYTES, BYTES, BYTES, "active_allocated"),
                        block(ADDRESS + 2 * BYTES, SEGMENT_BYTES - 2 * BYTES, 0, "inactive")))),
            event("segment_alloc", ADDRESS, SEGMENT_BYTES, 10),
            event("alloc", ADDRESS, BYTES, 10),
            event("free_requested", ADDRESS, BYTES, 11),
            event("alloc", ADDRESS + BYTES, BYTES, 12),
            event("free_completed", ADDRESS, BYTES, 13),
            event("alloc", ADDRESS, BYTES, 13));
    assertEquals(
        List.of("ALLOCATE", "USE_STREAM", "FREE", "ALLOCATE", "USE_COMPLETE", "ALLOCATE"),
        rows(derived.trace()).stream().map(row -> row.replaceFirst(" .*", "")).toList());
    assertEquals(List.of("blocks used on another stream"), subjects(derived));
    assertEquals(Inference.Confidence.CERTAIN, derived.inferences().getFirst().confidence());
    assertEquals(0, derived.unexplainedEntries());
  }
}
