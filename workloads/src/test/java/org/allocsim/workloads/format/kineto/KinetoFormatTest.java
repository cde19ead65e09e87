package org.allocsim.workloads.format.kineto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.TraceText;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KinetoFormatTest {
  @TempDir private Path folder;

  private Path write(String events) throws IOException {
    return Files.writeString(
        folder.resolve("trace.json"),
        "{\n \"schemaVersion\": 1, \"traceEvents\": ["
            + events
            + "], \"baseTimeNanoseconds\": 1000000, \"traceName\": \"x\"}\n");
  }

  private TraceFile read(String events) throws Exception {
    Path file = write(events);
    assertEquals("kineto", TraceFormats.of(file).id());
    return TraceFormats.of(file).read(file, Progress.NONE);
  }

  private static String memory(double micros, long address, long bytes, long total) {
    return """
    {"ph":"i","name":"[memory]","tid":1,"ts":%s,"args":{"Device Type":1,"Device Id":0,"Addr":%d,"Bytes":%d,"Total Allocated":%d,"Total Reserved":9}}\
    """
        .formatted(micros, address, bytes, total);
  }

  private static String span(String category, String name, double micros, double duration) {
    return """
    {"ph":"X","cat":"%s","name":"%s","tid":1,"ts":%s,"dur":%s}\
    """
        .formatted(category, name, micros, duration);
  }

  @Test
  void eventsAreSortedByTimeAndGetTheOperatorsAroundThem() throws Exception {
    TraceFile file =
        read(
            String.join(
                ",",
                memory(30.5, 4096, -1024, 0),
                memory(10.25, 4096, 1024, 1024),
                span("cpu_op", "aten::empty", 10, 1),
                span("cpu_op", "aten::linear", 5, 10),
                span("user_annotation", "step", 9, 11)));
    assertEquals(
        """
        --
        MARKER_BEGIN step 0  (0,0) 1009000
        ALLOCATE 0 1024 0 (0,0) 1010250\
         Frame[file=, line=0, function=aten::empty]\
         Frame[file=, line=0, function=aten::linear]
        MARKER_END step 0  (0,0) 1020000
        FREE 0 0 ? (0,0) 1030500
        """,
        TraceText.of(file.trace(), 0));
  }

  @Test
  void whatWasLiveBeforeIsKnownByItsFreeAndByTheTotals() throws Exception {
    TraceFile file =
        read(
            String.join(
                ",",
                memory(1, 512, 1024, 11264),
                memory(2, 8192, -2048, 9216),
                memory(3, 512, -1024, 8192)));
    assertEquals(
        """
        ALLOCATE 0 8192 0 (0,0) 1001000
        ALLOCATE 1 2048 0 (0,0) 1001000
        --
        ALLOCATE 2 1024 0 (0,0) 1001000
        FREE 1 0 ? (0,0) 1002000
        FREE 2 0 ? (0,0) 1003000
        """,
        TraceText.of(file.trace(), 0));
    assertTrue(file.notes().toString().contains("8192 bytes were live"), file.notes().toString());
  }

  /** PyTorch 1.8 and 1.9 write none; 0 is where no block lies. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\"Addr\":0,", "\"Addr\":null,", "\"Addr\":\"0x200\","})
  void memoryEventsWithoutAddressesAreRefused(String address) {
    String start = "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":%d,\"args\":{";
    String end = "\"Device Type\":1,\"Device Id\":0,\"Bytes\":%d}}";
    String allocation = start.formatted(1) + address + end.formatted(512);
    String free = start.formatted(2) + address + end.formatted(-512);
    TraceFormatException refused =
        assertThrows(TraceFormatException.class, () -> read(allocation + "," + free));
    assertTrue(refused.getMessage().contains("have no addresses"), refused.getMessage());
    TraceFormatException some =
        assertThrows(
            TraceFormatException.class,
            () -> read(memory(1, 512, 1024, 1024) + "," + free + "," + memory(3, 512, -1024, 0)));
    assertTrue(some.getMessage().contains("1 of its 3 memory events have no address"));
  }

  @Test
  void eventsOfTheHostMayLackAddresses() throws Exception {
    String host =
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":2,\"args\":"
            + "{\"Device Type\":0,\"Device Id\":-1,\"Bytes\":512}}";
    TraceFile file = read(memory(1, 512, 1024, 1024) + "," + host);
    assertEquals(1, file.trace().allocationCount());
  }

  @Test
  void failedRequestsAndDoubledAddressesAreKeptAndCounted() throws Exception {
    TraceFile file =
        read(
            memory(1, 512, 1024, 1024)
                + ","
                + memory(2, 512, 512, 512)
                + ",{\"ph\":\"i\",\"name\":\"[OutOfMemory]\",\"ts\":3,\"args\":{\"Device"
                + " Type\":1,\"Device"
                + " Id\":0,\"Bytes\":99}},{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":4,\"args\":{\"Device"
                + " Type\":0,\"Device"
                + " Id\":-1,\"Bytes\":99}},{\"ph\":\"i\",\"name\":\"[memory]\",\"args\":{\"Device"
                + " Type\":1,\"Bytes\":99}}");
    assertEquals(
        """
        --
        ALLOCATE 0 1024 0 (0,0) 1001000
        ALLOCATE 1 512 0 (0,0) 1002000
        FREE 0 0 ? (0,0) 1002000
        ALLOCATE 2 99 0 (0,0) 1003000
        FREE 2 0 ? (0,0) 1003000
        """,
        TraceText.of(file.trace(), 0));
    String notes = file.notes().toString();
    assertTrue(notes.contains("1 events of host"), notes);
    assertTrue(notes.contains("1 memory events without time"), notes);
    assertTrue(notes.contains("1 addresses handed out twice"), notes);
    assertTrue(notes.contains("1 events after which the profile's own total"), notes);
  }

  @Test
  void aProfileWithoutMemoryEventsOrCutOffIsRefused() throws Exception {
    Path empty = write(span("cpu_op", "aten::empty", 1, 1));
    assertTrue(
        assertThrows(
                TraceFormatException.class, () -> new KinetoFormat().read(empty, Progress.NONE))
            .getMessage()
            .contains("profile_memory=True"));
    String whole = Files.readString(write(memory(1, 512, 1024, 1024)));
    Path cut = Files.writeString(folder.resolve("cut.json"), whole.substring(0, 120));
    assertTrue(
        assertThrows(TraceFormatException.class, () -> new KinetoFormat().read(cut, Progress.NONE))
            .getMessage()
            .contains("damaged or truncated"));
  }

  @Test
  void theProfileOfARunHasTheRequestsOfItsSnapshot() throws Exception {
    Path recordings =
        Path.of(System.getProperty("allocsim.recordings", "../../shared/recordings"))
            .resolve("pytorch-other");
    assumeTrue(Files.exists(recordings), "not run: needs " + recordings);
    TraceFile profile =
        new KinetoFormat().read(recordings.resolve("profiler_gpt.trace.json.xz"), Progress.NONE);
    AllocationTrace trace = profile.trace();
    long[] sizes = new long[trace.allocationCount()];
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        sizes[trace.allocation(event)] = trace.bytes(event);
      }
    }
    List<String> ofProfile = requests(trace, trace.prologueCount(), id -> sizes[id]);
    Snapshot recorded =
        SnapshotReader.read(recordings.resolve("profiler_gpt.pickle.xz"), Progress.NONE);
    AllocationTrace snapshot =
        RequestDerivation.derive(
                recorded,
                new DerivationOptions(AllocatorConfig.DEFAULT, PyTorchVersion.V2_11, -1, -1))
            .trace();
    long[] blockBytes = blockBytes(snapshot, recorded.devices().getFirst().effects());
    List<String> ofSnapshot = requests(snapshot, 0, allocation -> blockBytes[allocation]);
    int before = ofSnapshot.size() - ofProfile.size();
    assertEquals(2222, ofProfile.size());
    assertEquals(
        String.join("\n", ofSnapshot.subList(before, ofSnapshot.size())),
        String.join("\n", ofProfile));
  }

  /** Bytes of the block that each request of a recorded program got, by allocation id. */
  private static long[] blockBytes(AllocationTrace trace, EffectLog effects) {
    long[] bytes = new long[trace.allocationCount()];
    EffectFollower follower = new EffectFollower(effects, 0);
    EffectListener blocks =
        new EffectListener() {
          @Override
          public void blockAllocated(
              int id, long address, long requested, long block, int stream, boolean small) {
            bytes[id] = block;
          }
        };
    CachingAllocator policy =
        new CachingAllocator(
            AllocatorConfig.DEFAULT,
            PyTorchVersion.V2_11,
            -1,
            new RecordedDevice(effects, follower::position, -1),
            EffectListeners.all(follower, blocks));
    new Replay(trace, 0, policy, EffectListeners.NONE, () -> 0).run(event -> true);
    return bytes;
  }

  /**
   * Allocations with the size of their block, and frees with the number of rows back to the
   * allocation, or "earlier" where that lies before the profile.
   */
  private static List<String> requests(
      AllocationTrace trace, int from, IntToLongFunction blockBytes) {
    List<String> requests = new ArrayList<>();
    int[] rowOf = new int[trace.allocationCount()];
    List<Integer> rows = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      RequestKind kind = trace.kind(event);
      if (kind == RequestKind.ALLOCATE) {
        rowOf[trace.allocation(event)] = event < from ? -1 : rows.size();
      }
      if (event >= from && (kind == RequestKind.ALLOCATE || kind == RequestKind.FREE)) {
        rows.add(event);
      }
    }
    int profiled = 2222;
    int skipped = rows.size() - profiled;
    for (int row = 0; row < rows.size(); row++) {
      int event = rows.get(row);
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        requests.add("allocate " + blockBytes.applyAsLong(trace.allocation(event)));
      } else {
        int allocated = rowOf[trace.allocation(event)];
        requests.add(allocated < skipped ? "free earlier" : "free " + (row - allocated));
      }
    }
    return requests;
  }
}
