package org.allocsim.workloads.format.rmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.TraceText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RmmCsvFormatTest {
  private static final String HEADER = "Thread,Time,Action,Pointer,Size,Stream\n";

  @TempDir private Path folder;

  private TraceFile read(String text) throws IOException, TraceFormatException {
    Path file = Files.writeString(folder.resolve("run.dev0.csv"), text);
    return TraceFormats.of(file).read(file, Progress.NONE);
  }

  @Test
  void rowsAreRequestsAndFailuresAreCounted() throws Exception {
    TraceFile file =
        read(
            HEADER
                + "4711,09:30:00.000100,allocate,0x7f2a00000000,1048576,0\n"
                + "4711,09:30:00.000180,allocate,0x7f2a00100000,300,0x5581f0\n"
                + "4711,09:30:00.000950,free,0x7f2a00000000,1048576,0\n"
                + "4711,09:30:01.000001,allocate failure,(nil),99999999999,0\n"
                + "4712,09:30:01.000002,free,0x7f2a00999900,5,0\n"
                + "4712,09:30:01.000003,allocate,0x7f2a00000000,7,16\n");
    assertEquals("rmm-csv", file.format());
    assertFalse(file.trace().isOfPyTorch());
    assertEquals(
        """
        --
        ALLOCATE 0 1048576 0 (0,0) 34200000100000
        ALLOCATE 1 300 5581f0 (0,0) 34200000180000
        FREE 0 0 0 (0,0) 34200000950000
        ALLOCATE 2 99999999999 0 (0,0) 34201000001000
        ALLOCATE 3 7 10 (0,0) 34201000003000
        """,
        TraceText.of(file.trace(), 0));
    assertEquals(300 + 99_999_999_999L, file.trace().refusedBytes());
    assertEquals(
        List.of(
            "1 requests failed, the largest of 99999999999 bytes",
            "1 frees of addresses not allocated in the log were omitted"),
        file.notes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Time,Action,Pointer,Size,Stream\n00:00:01.000000,allocate,0x10,5,0\n",
        "Action,Size,Pointer\nallocate,5,10\n",
        "Thread, Time, Action, Pointer, Size, Stream\r\n1, 00:00:01:000000, allocate, 0X10, 5, 0x0",
        "\nSize,Stream,Pointer,Note,Action,Time\n5,(nil),0x10,hm,allocate,00:00:01\n\n"
      })
  void headerNamesTheColumns(String text) throws Exception {
    AllocationTrace trace = read(text).trace();
    assertEquals(1, trace.eventCount());
    assertEquals(5, trace.bytes(0));
    assertEquals(0, trace.streamHandle(trace.stream(0)));
    assertEquals(text.contains("Time") ? 1_000_000_000L : 0, trace.timeNanos(0));
  }

  @Test
  void columnsThatAreMissingOrNotKnownAreNoted() throws Exception {
    assertEquals(
        List.of(
            "the log has no column Stream; all requests are on the null stream",
            "the log has no column Time; all requests are at time 0",
            "ignored columns: Colour"),
        read("Action,Size,Colour,Pointer\n").notes());
  }

  /** RMM's logging guide prints seconds since 1970, and calls a free by its C++ name. */
  @Test
  void timesSince1970AndDatesAreTimes() throws Exception {
    TraceFile file =
        read(
            HEADER
                + "1,1634567890.123456,allocate,0x7f8a40000000,1024,0\n"
                + "1,1634567890,allocate,0x7f8a50000000,1024,0\n"
                + "1,1634567890.345678,deallocate,0x7f8a40000000,1024,0\n"
                + "1,2021-10-18 14:38:11.5,free,0x7f8a50000000,1024,0\n");
    assertEquals(
        """
        --
        ALLOCATE 0 1024 0 (0,0) 1634567890123456000
        ALLOCATE 1 1024 0 (0,0) 1634567890000000000
        FREE 0 0 0 (0,0) 1634567890345678000
        FREE 1 0 0 (0,0) 1634567891500000000
        """,
        TraceText.of(file.trace(), 0));
    TraceFormatException bad =
        assertThrows(
            TraceFormatException.class,
            () -> read(HEADER + "1,16345678901.5,allocate,0x7f8a40000000,1024,0\n"));
    assertTrue(bad.getMessage().contains("seconds since 1970"), bad.getMessage());
  }

  @Test
  void timesGoOnAfterMidnight() throws Exception {
    AllocationTrace trace =
        read(HEADER
                + "1,23:59:59.999999,allocate,0x1,1,0\n"
                + "1,00:00:00.000001,allocate,0x2,1,0\n"
                + "2,23:59:59.999998,allocate,0x3,1,0\n"
                + "1,12:00:00.000000,allocate,0x4,1,0\n"
                + "1,11:59:59.000000,allocate,0x5,1,0\n")
            .trace();
    long day = 86_400_000_000_000L;
    assertEquals(day - 1000, trace.timeNanos(0));
    assertEquals(day + 1000, trace.timeNanos(1));
    assertEquals(day - 2000, trace.timeNanos(2));
    assertEquals(day + day / 2, trace.timeNanos(3));
    assertEquals(day + day / 2 - 1_000_000_000L, trace.timeNanos(4));
  }

  @Test
  void freeConcernsTheLatestLiveAllocationOfItsAddress() throws Exception {
    TraceFile file =
        read(
            HEADER
                + "1,00:00:00.000000,allocate,0x100,1,0\n"
                + "1,00:00:00.000000,free,0x100,1,0\n"
                + "1,00:00:00.000000,allocate,0x100,2,0\n"
                + "1,00:00:00.000000,allocate,0x100,3,0\n"
                + "1,00:00:00.000000,free,0x100,3,0\n"
                + "1,00:00:00.000000,free,0x100,2,0\n");
    AllocationTrace trace = file.trace();
    assertEquals(2, trace.allocation(4));
    assertEquals(1, trace.allocation(5));
    assertTrue(file.notes().getFirst().startsWith("1 addresses were handed out while"));
  }

  @Test
  void requestsOfNoBytesHaveNoAddress() throws Exception {
    AllocationTrace trace =
        read(HEADER
                + "1,00:00:00.000000,allocate,(nil),0,0\n"
                + "1,00:00:00.000000,allocate,(nil),0,0\n"
                + "1,00:00:00.000000,free,(nil),0,0\n")
            .trace();
    assertEquals(3, trace.eventCount());
  }

  @Test
  void everyThreadHasAPerThreadDefaultStreamOfItsOwn() throws Exception {
    TraceFile file =
        read(
            HEADER
                + "70,00:00:00.000000,allocate,0x1,1,2\n"
                + "71,00:00:00.000000,allocate,0x2,1,0x2\n"
                + "70,00:00:00.000000,free,0x2,1,2\n");
    assertEquals(2, file.trace().streamCount());
    assertEquals(file.trace().stream(0), file.trace().stream(2));
    assertTrue(file.notes().getFirst().startsWith("2 threads use"));
  }

  @Test
  void logsOfSeveralRunsMayFollowEachOther() throws Exception {
    String run = HEADER + "1,00:00:00.000000,allocate,0x1,1,0\n";
    TraceFile file = read(run + run);
    assertEquals(2, file.trace().eventCount());
    assertEquals(2, file.notes().size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1,00:00:00.0,allocate,0x1,-5,0 | field Size is '-5'",
        "1,00:00:00.0,allocate,0x1,9223372036854775808,0 | field Size is '9223372036854775808'",
        "1,00:00:00.0,allocate,0x1,,0 | field Size is ''",
        "1,00:00:00.0,allocate,0x1ffffffffffffffff,1,0 | field Pointer",
        "1,00:00:00.0,allocate,here,1,0 | field Pointer is 'here'",
        "1,00:00:00.0,allocate,0x1,1,default | field Stream is 'default'",
        "1,00:00:00.0,realloc,0x1,1,0 | field Action is 'realloc'",
        "1,0:00:00.0,allocate,0x1,1,0 | field Time is '0:00:00.0'",
        "1,00:00:00.,allocate,0x1,1,0 | field Time is '00:00:00.'",
        "1,00:00:0x,allocate,0x1,1,0 | field Time is '00:00:0x'",
        "x,00:00:00.0,allocate,0x1,1,2 | field Thread is 'x'",
        "1,00:00:00.0,allocate,0x1 | the line has 4 fields, the header 6",
      })
  void aBadLineIsRefusedWithItsPlaceAndField(String line, String expected) {
    String good = "1,00:00:00.000000,allocate,0x9,1,0\n";
    TraceFormatException error =
        assertThrows(TraceFormatException.class, () -> read(HEADER + good + line + "\n"));
    assertTrue(
        error.getMessage().contains("run.dev0.csv, line 3: " + expected), error.getMessage());
  }

  @Test
  void logWithoutItsColumnsIsRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("x.csv"), "Time,Action,Pointer\n");
    TraceFormatException error =
        assertThrows(
            TraceFormatException.class, () -> new RmmCsvFormat().read(file, Progress.NONE));
    assertTrue(error.getMessage().contains("line 1: the header has no column Size"));
    Path empty = Files.writeString(folder.resolve("y.csv"), "\n");
    assertThrows(TraceFormatException.class, () -> new RmmCsvFormat().read(empty, Progress.NONE));
  }

  private static AllocationTrace everything() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.at(0, 86_399_999_999_000L, 0);
    int a = trace.allocate(100, 0, PoolId.DEFAULT);
    int b = trace.allocate(Long.MAX_VALUE, 0xffff_8000_1234_0000L, PoolId.DEFAULT);
    trace.allocate(5, 2, PoolId.DEFAULT);
    trace.allocate(6, 1L << 32 | 2, PoolId.DEFAULT);
    int nothing = trace.allocate(0, 0, PoolId.DEFAULT);
    trace.free(a, 0xffff_8000_1234_0000L);
    trace.free(nothing, 0);
    trace.free(b, 0);
    return trace.build(new StackTable.Builder().build());
  }

  @Test
  void whatIsWrittenIsReadBack() throws Exception {
    AllocationTrace trace = everything();
    assertEquals(List.of(), new RmmCsvWriter().losses(trace, 0));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new RmmCsvWriter().write(trace, 0, out);
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.startsWith(HEADER + "0,23:59:59.999999,allocate,0x"), text);
    TraceFile file = read(text);
    assertEquals(TraceText.of(trace, 0), TraceText.of(file.trace(), 0));
    Path packed = folder.resolve("run.csv.gz");
    try (GZIPOutputStream gzip = new GZIPOutputStream(Files.newOutputStream(packed))) {
      gzip.write(out.toByteArray());
    }
    assertEquals(
        TraceText.of(trace, 0),
        TraceText.of(TraceFormats.of(packed).read(packed, Progress.NONE).trace(), 0));
  }

  @Test
  void whatTheLogCannotHoldIsTold() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    trace.at(0, 1, stacks.stack(stacks.frame("a.py", 1, "f")));
    int a = trace.allocate(1, 0, new PoolId(1, 0));
    trace.endPrologue();
    trace.synchronize();
    trace.useStream(a, 16, 0);
    trace.free(a);
    assertEquals(
        List.of(
            "2 requests are neither allocations nor frees and were omitted",
            "1 allocations are from a private pool, which the log cannot represent",
            "2 requests have a stack, which was omitted",
            "2 times are written without the day and with microsecond precision",
            "1 frees without a stream are written on their allocation's stream",
            "1 rows restore earlier blocks and become ordinary requests"),
        new RmmCsvWriter().losses(trace.build(stacks.build()), 0));
  }
}
