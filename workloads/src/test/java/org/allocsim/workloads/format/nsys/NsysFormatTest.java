package org.allocsim.workloads.format.nsys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NsysFormatTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;

  private TraceFile read(String name) throws Exception {
    Path file = folder.resolve(name);
    try (InputStream stream = NsysFormatTest.class.getResourceAsStream(name)) {
      assertNotNull(stream, name);
      Files.write(file, stream.readAllBytes());
    }
    assertEquals(NsysFormat.ID, TraceFormats.of(file).id());
    return new NsysFormat().read(file, Progress.NONE);
  }

  private static List<Long> allocated(AllocationTrace trace) {
    return LongStream.range(0, trace.eventCount())
        .filter(event -> trace.kind((int) event) == RequestKind.ALLOCATE)
        .map(event -> trace.bytes((int) event))
        .boxed()
        .toList();
  }

  private static List<String> rows(AllocationTrace trace) {
    List<String> rows = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      RequestKind kind = trace.kind(event);
      rows.add(
          "%d %s %s on %d"
              .formatted(
                  trace.timeNanos(event),
                  kind,
                  kind == RequestKind.ALLOCATE ? trace.bytes(event) : trace.allocation(event),
                  trace.device(event)));
    }
    return rows;
  }

  /** The program is a dozen lines of C++ that were profiled on an H200. */
  @Test
  void everyCallOfAProgramIsARequest() throws Exception {
    TraceFile file = read("calls.sqlite.xz");
    AllocationTrace trace = file.trace();
    List<Long> expected = new ArrayList<>(List.of(MIB, 300 * MIB, 5 * MIB));
    for (int i = 0; i < 200; i++) {
      expected.add((i + 1) * 65536L);
    }
    expected.add(20 * MIB);
    assertEquals(expected, allocated(trace));
    assertFalse(trace.isOfPyTorch());
    assertEquals(1, trace.hostBufferCount());
    int inOrder = 0;
    while (trace.kind(inOrder) != RequestKind.ALLOCATE || trace.bytes(inOrder) != 5 * MIB) {
      inOrder++;
    }
    assertEquals(13, trace.streamHandle(trace.stream(inOrder)));
    List<String> notes = file.notes();
    assertTrue(
        notes.contains("managed memory is omitted: 1 × allocated, 9437184 bytes"), notes::toString);
    assertTrue(
        notes.contains("static variables of modules are omitted: 1 × allocated, 3145728 bytes"),
        notes::toString);
  }

  /** The sums are those that SQLite makes of the tables. */
  @Test
  void segmentsOfAnAllocatorAreTheRequestsOfItsProcess() throws Exception {
    AllocationTrace trace = read("cupy.sqlite.xz").trace();
    assertEquals(568_004_608L, allocated(trace).stream().mapToLong(Long::longValue).sum());
    assertEquals(28, trace.allocationCount());
    AllocationTrace mapped = read("expandable.sqlite.xz").trace();
    assertEquals(576_980_992L, allocated(mapped).stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void processesThatShareADeviceHaveEachTheirOwn() throws Exception {
    TraceFile file = read("processes.sqlite");
    assertEquals(
        List.of(
            "100 ALLOCATE 50 on 1",
            "100 ALLOCATE 100 on 0",
            "200 ALLOCATE 200 on 1",
            "250 FREE 0 on 1",
            "300 FREE 1 on 0",
            "400 FREE 2 on 1",
            "500 ALLOCATE 300 on 2"),
        rows(file.trace()));
    assertEquals(1, file.trace().prologueCount());
    assertTrue(
        file.notes().contains("device 1 here is device 0 of process 4712"), file.notes()::toString);
    assertTrue(
        file.notes().contains("device 2 here is device 1 of process 4712"), file.notes()::toString);
  }

  @Test
  void olderReleasesHaveFewerColumns() throws Exception {
    TraceFile file = read("old.sqlite");
    assertEquals(List.of("10 ALLOCATE 100 on 0", "20 FREE 0 on 0"), rows(file.trace()));
    assertTrue(
        file.notes().contains("static variables of modules are omitted: 1 × allocated, 64 bytes"),
        file.notes()::toString);
  }

  @Test
  void otherDatabasesAreCalledByTheirName() throws IOException {
    Path file = folder.resolve("other.sqlite");
    byte[] other;
    try (InputStream stream = NsysFormatTest.class.getResourceAsStream("old.sqlite")) {
      String text = new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1);
      other =
          text.replace("CUDA_GPU_MEMORY", "CUDA_GPU_MEMOIR").getBytes(StandardCharsets.ISO_8859_1);
    }
    Files.write(file, other);
    String message =
        assertThrows(TraceFormatException.class, () -> new NsysFormat().read(file, Progress.NONE))
            .getMessage();
    assertTrue(message.contains("--cuda-memory-usage=true"), message);
    Files.writeString(file, "SQLite format 3\0");
    assertThrows(TraceFormatException.class, () -> new NsysFormat().read(file, Progress.NONE));
  }
}
