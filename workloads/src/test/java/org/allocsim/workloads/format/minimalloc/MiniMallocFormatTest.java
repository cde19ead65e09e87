package org.allocsim.workloads.format.minimalloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
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

class MiniMallocFormatTest {
  private static final String FIVE =
      """
      id,lower,upper,size
      b1,0,3,4
      b2,3,9,4
      b3,0,9,4
      b4,9,21,4
      b5,0,21,4
      """;

  @TempDir private Path folder;

  private TraceFile read(String text) throws IOException, TraceFormatException {
    Path file = Files.writeString(folder.resolve("problem.csv"), text);
    return new MiniMallocFormat().read(file, Progress.NONE);
  }

  /** Requests as +bytes or −allocation at their times. */
  private static String requests(AllocationTrace trace) {
    StringBuilder text = new StringBuilder();
    for (int event = 0; event < trace.eventCount(); event++) {
      boolean frees = trace.kind(event) == RequestKind.FREE;
      text.append(trace.timeNanos(event))
          .append(frees ? "-" + trace.allocation(event) : "+" + trace.bytes(event))
          .append(' ');
    }
    return text.toString().strip();
  }

  private static String write(AllocationTrace trace) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new MiniMallocWriter().write(trace, 0, out);
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void eventsAreOrderedByTimeThenFreesThenRow() throws Exception {
    TraceFile file = read(FIVE);
    assertEquals("0+4 0+4 0+4 3-0 3+4 9-3 9-1 9+4 21-4 21-2", requests(file.trace()));
    assertEquals(List.of(), file.notes());
    assertEquals("minimalloc", TraceFormats.of(folder.resolve("problem.csv")).id());
  }

  @Test
  void columnsFollowTheHeaderWhateverTheirOrderAndAlias() throws Exception {
    assertEquals("1+7 5-0", requests(read("size, buffer_id ,upper,begin\n7,x,5,1\n").trace()));
    assertEquals("1+7 5-0", requests(read("buffer,start,upper,size\r\nx,1,5,7\r\n").trace()));
  }

  @Test
  void mma3AnEndIsTheLastTimeOfLife() throws Exception {
    assertEquals("0+4 4-0", requests(read("id,lower,end,size\na,0,3,4\n").trace()));
    assertEquals(
        "0+4 2-0 6+4 10-1", requests(read("id,lower,end,size,gaps\na,0,9,4,2-5\n").trace()));
  }

  @Test
  void mma4AGapPartsABufferIntoTwoAllocations() throws Exception {
    TraceFile file = read("id,lower,upper,size,gaps\na,0,9,4,3-5 6-7\nb,3,5,4,\n");
    assertEquals("0+4 3-0 3+4 5-1 5+4 6-2 7+4 9-3", requests(file.trace()));
    assertEquals(1, file.notes().size());
    assertTrue(file.notes().getFirst().startsWith("1 buffers with gaps"));
  }

  @Test
  void whatIsNoRequestIsPassedOverWithANote() throws Exception {
    TraceFile file =
        read("id,lower,upper,size,alignment,offset,gaps\na,0,9,4,8,,3-5@0:2\nb,1,2,3,,16,\n");
    assertEquals("0+4 1+3 2-1 9-0", requests(file.trace()));
    assertEquals(
        List.of(
            "1 gaps in which part of the buffer stays alive were skipped",
            "column alignment was ignored in 1 rows",
            "column offset was ignored in 1 rows"),
        file.notes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id,lower,size|no column \"upper\"",
        "id,lower,upper,size,start|\"lower\" twice",
        "id,lower,upper,size\\na,1,2|line 2: the row has 3 fields, the header 4",
        "id,lower,upper,size\\na,1,x,3|\"x\" in column upper",
        "id,lower,upper,size\\na,1,2,99999999999999999999|in column size",
        "id,lower,upper,size\\na,1,2,-3|negative",
        "id,lower,upper,size\\na,2,2,3|not after its start",
        "id,lower,end,size\\na,2,9223372036854775807,3|too large",
        "id,lower,upper,size,gaps\\na,0,9,4,35|not of the form",
        "id,lower,upper,size,gaps\\na,0,9,4,5-12|outside",
        "id,lower,upper,size,gaps\\na,0,9,4,5-6 3-4|out of order",
        "|empty"
      })
  void badInputIsRefusedWithItsPlaceAndCause(String text, String cause) {
    String content = text == null ? "" : text.replace("\\n", "\n");
    TraceFormatException error = assertThrows(TraceFormatException.class, () -> read(content));
    assertTrue(error.getMessage().contains(cause), error.getMessage());
    assertTrue(error.getMessage().contains("problem.csv, line "), error.getMessage());
  }

  @Test
  void whatIsWrittenIsReadBackWithTimesWhereTheyTellTheOrder() throws Exception {
    String text = "id,lower,upper,size\n0,-3,3,4\n1,0,9,0\n2,0,21,4\n3,3,9,5\n4,9,21,6\n";
    AllocationTrace trace = read(text).trace();
    assertEquals(List.of(), new MiniMallocWriter().losses(trace, 0));
    assertEquals(text, write(trace));
    assertEquals(TraceText.of(trace, 0), TraceText.of(read(write(trace)).trace(), 0));
  }

  @Test
  void timesThatDoNotTellTheOrderBecomeNumbersOfRequests() throws Exception {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.at(0, 5, StackTable.NONE);
    int a = builder.allocate(10, 0, PoolId.DEFAULT);
    builder.synchronize();
    builder.free(a);
    builder.allocate(20, 7, new PoolId(1, 0));
    AllocationTrace trace = builder.build(new StackTable.Builder().build());
    assertEquals("id,lower,upper,size\n0,0,2,10\n1,3,4,20\n", write(trace));
    assertEquals(
        List.of(
            "1 allocations that are live at the end are freed after it",
            "times are replaced by request numbers, because they do not determine the order",
            "1 requests lose their stream",
            "1 requests lose their private pool",
            "1 rows that neither allocate nor free are omitted"),
        new MiniMallocWriter().losses(trace, 0));
  }
}
