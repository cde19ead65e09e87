package org.allocsim.workloads.format.stalloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** STAlloc's text traces. */
class StAllocFormatTest {
  private static final String SAMPLE =
      """
      1 0x7f0000000000 4096 0
      Iteration Index : 0
      micro-batch : F
      decoder.0->Module Layer : F-start
      1 0x7f0000100000 8388608 0
      1 0 0 0
      decoder.0->Module Layer : F-end
      0 0x7f0000100000 8388608 0
      micro-batch : B
      1 0x7f0000100000 512 0x1f
      Iteration Index : 1
      0 0x7f0000100000 512 0
      Iteration Index : end
      something that the program printed
      0 0x7f0000000000 4096 0
      0 0x7fffffffffff 77 0
      """;

  @TempDir private Path folder;

  private TraceFile read(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("mem_log_dev0.txt"), text);
    assertEquals(StAllocFormat.ID, TraceFormats.of(file).id());
    return new StAllocFormat().read(file, Progress.NONE);
  }

  private static String text(AllocationTrace trace) {
    StringBuilder text = new StringBuilder();
    for (int event = 0; event < trace.eventCount(); event++) {
      RequestKind kind = trace.kind(event);
      text.append(kind).append(' ');
      switch (kind) {
        case MARKER_BEGIN, MARKER_END -> text.append(trace.markerNameOf(event));
        default ->
            text.append(trace.allocation(event))
                .append(' ')
                .append(trace.bytes(event))
                .append(' ')
                .append(Long.toHexString(trace.streamHandle(trace.stream(event))));
      }
      text.append('\n');
    }
    return text.toString();
  }

  @Test
  void callsAndMarkersAreReadInOrder() throws Exception {
    TraceFile file = read(SAMPLE);
    assertEquals(
        """
        ALLOCATE 0 4096 0
        MARKER_BEGIN Iteration Index : 0
        MARKER_BEGIN micro-batch : F
        MARKER_BEGIN decoder.0->Module Layer : F
        ALLOCATE 1 8388608 0
        ALLOCATE 2 0 0
        MARKER_END decoder.0->Module Layer : F
        FREE 1 0 0
        MARKER_END micro-batch : F
        MARKER_BEGIN micro-batch : B
        ALLOCATE 3 512 1f
        MARKER_END micro-batch : B
        MARKER_END Iteration Index : 0
        MARKER_BEGIN Iteration Index : 1
        FREE 3 0 0
        MARKER_END Iteration Index : 1
        FREE 0 0 0
        """,
        text(file.trace()));
    assertEquals(3, file.notes().size());
    assertTrue(file.notes().get(1).startsWith("1 frees"), file.notes().get(1));
    assertTrue(file.notes().get(2).startsWith("1 lines"), file.notes().get(2));
  }

  @Test
  void whatIsWrittenIsReadAsTheSameRequests() throws Exception {
    AllocationTrace trace = read(SAMPLE).trace();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StAllocWriter writer = new StAllocWriter();
    writer.write(trace, 0, out);
    assertEquals(text(trace), text(read(out.toString(StandardCharsets.UTF_8)).trace()));
    assertEquals(1, writer.losses(trace, 0).size());
  }

  @Test
  void whatTheFormatCannotHoldIsSaid() throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int first = trace.allocate(1024, -16L, new PoolId(0, 1));
    trace.useStream(first, 32, 0);
    trace.markerBegin("forward");
    trace.synchronize();
    trace.free(first);
    AllocationTrace built = trace.build(new StackTable.Builder().build());
    StAllocWriter writer = new StAllocWriter();
    assertEquals(5, writer.losses(built, 0).size());
    assertEquals(
        "2 requests other than allocations and frees are omitted", writer.losses(built, 0).get(1));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    writer.write(built, 0, out);
    assertEquals(
        """
        1 0x7f0000000000 1024 0xfffffffffffffff0
        0 0x7f0000000000 1024 0xfffffffffffffff0
        """,
        out.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 0x7f00 512|fewer than four",
        "1 0x7f00 512 0 0|more than four",
        "1 0x7f00 5x2 0|not a number",
        "1 0x7f00 9999999999999999999 0|too many digits",
        "1 0x7f00 -512 0|not a number",
        "1  512 0|empty",
        "1 0 512 0|has no pointer",
        "1 0x10 512 0|allocated twice",
        "0 0x10 1024 0|does not match",
        "hello|neither a call nor a marker",
        "a->B Layer : F-end|without a start"
      })
  void aLineThatIsWrongIsNamed(String line, String cause) throws IOException {
    Path file = Files.writeString(folder.resolve("bad.txt"), "1 0x10 512 0\n" + line + "\n");
    TraceFormatException error =
        assertThrows(
            TraceFormatException.class, () -> new StAllocFormat().read(file, Progress.NONE));
    assertTrue(error.getMessage().contains("bad.txt, line 2: "), error.getMessage());
    assertTrue(error.getMessage().contains(cause), error.getMessage());
  }

  @Test
  void aFileWithoutCallsIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("empty.txt"), "Iteration Index : 0\n");
    assertTrue(
        assertThrows(
                TraceFormatException.class, () -> new StAllocFormat().read(file, Progress.NONE))
            .getMessage()
            .contains("no allocations"));
  }
}
