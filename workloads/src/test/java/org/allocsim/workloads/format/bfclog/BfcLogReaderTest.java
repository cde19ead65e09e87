package org.allocsim.workloads.format.bfclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read from logs that are written here, line by line. */
class BfcLogReaderTest {
  private static final long BASE = 0x302000000L;
  private static final String PICTURE = "*".repeat(50) + "_".repeat(50);

  @TempDir private Path folder;
  private final List<String> lines = new ArrayList<>();
  private int micros;

  private String line(int thread, String text) {
    return "I1121 00:07:%02d.%06d    %d bfc_allocator.cc:333] %s"
        .formatted(micros / 1_000_000, micros++ % 1_000_000, thread, text);
  }

  private void add(int thread, String... texts) {
    for (String text : texts) {
      lines.add(line(thread, text));
    }
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  private void request(int thread, String pool, long bytes) {
    add(thread, "AllocateRaw %s %d alignment=64".formatted(pool, bytes));
  }

  private void region(int thread, long address, long bytes) {
    add(thread, "Allocated memory at %s to %s".formatted(hex(address), hex(address + bytes)));
  }

  private void returned(int thread, String pool, long bytes, long address) {
    add(
        thread,
        "Returning: " + hex(address),
        "A: " + PICTURE,
        "AllocateRaw %s  %d %s".formatted(pool, bytes, hex(address)),
        "[mem-debug] AllocateRaw,%s,%d,%s,".formatted(pool, bytes, hex(address)));
  }

  private void allocate(int thread, String pool, long bytes, long address) {
    request(thread, pool, bytes);
    returned(thread, pool, bytes, address);
  }

  private void free(int thread, String pool, long bytes, long address) {
    add(
        thread,
        "DeallocateRaw %s %d".formatted(pool, bytes),
        "[mem-debug] DeallocateRaw,%s,%d,%s,".formatted(pool, bytes, hex(address)));
  }

  private void mergedNext(int thread, long lower, long upper) {
    add(thread, "Merging c->next %s with c %s".formatted(hex(upper), hex(lower)));
  }

  private BfcLog read() throws TraceFormatException {
    return BfcLogReader.read(file(), true, Progress.NONE);
  }

  private Path file() {
    try {
      return Files.write(folder.resolve("jax.log"), lines);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Rows of a device as text: +id bytes, −id. */
  private static String rows(AllocationTrace trace, int device) {
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) == device) {
        text.append(trace.kind(row) == RequestKind.FREE ? " -" : " +")
            .append(trace.allocation(row))
            .append(trace.kind(row) == RequestKind.FREE ? "" : "=" + trace.bytes(row));
      }
    }
    return text.toString().strip();
  }

  @Test
  void requestsFreesRegionsMergesPeaksAndPicturesAreRead() throws TraceFormatException {
    request(1, "GPU_0_bfc", 1000);
    region(1, BASE, 2 << 20);
    add(1, "New Peak memory usage of 1024 bytes for GPU_0_bfc");
    returned(1, "GPU_0_bfc", 1000, BASE);
    free(2, "GPU_0_bfc", 1000, BASE);
    mergedNext(2, BASE, BASE + 1024);
    add(2, "F: " + PICTURE);
    BfcLog log = read();
    assertEquals("+0=1000 -0", rows(log.trace(), 0));
    assertEquals(
        List.of(
            new BfcEffect.Region(2, BASE, 2 << 20),
            new BfcEffect.Allocation(4, 0, 1000, BASE, 1024, PICTURE),
            new BfcEffect.Free(
                10, 0, BASE, List.of(new BfcEffect.Merge(BASE, BASE + 1024)), PICTURE)),
        log.pools().getFirst().effects());
    assertEquals(List.of("device 0 of the trace is the allocator GPU_0_bfc"), log.notes());
  }

  @Test
  void timeRunsFromTheFirstLineOn() throws TraceFormatException {
    add(1, "Creating new BFCAllocator named: GPU_0_bfc");
    micros = 2_000_000;
    allocate(1, "GPU_0_bfc", 1, BASE);
    assertEquals(2_000_001_000L, read().trace().timeNanos(0));
  }

  @Test
  void everyAllocatorIsADeviceAndGpusComeFirst() throws TraceFormatException {
    add(1, "Creating new BFCAllocator named: XLA_backend_0_bfc");
    allocate(1, "xla_gpu_host_bfc", 100, BASE);
    allocate(1, "GPU_1_bfc", 300, 3 * BASE);
    allocate(1, "GPU_0_bfc", 200, 2 * BASE);
    BfcLog log = read();
    assertEquals(
        List.of("GPU_0_bfc", "GPU_1_bfc", "xla_gpu_host_bfc"),
        log.pools().stream().map(BfcPool::name).toList());
    assertEquals("+0=300", rows(log.trace(), 1).replaceAll("\\d+=", "0="));
    assertEquals("+0=100", rows(log.trace(), 2).replaceAll("\\d+=", "0="));
  }

  /** Two chunks of 1 KiB, the first still in use, the second free before the rest. */
  private void freedWhileAnotherThreadAsks() {
    request(1, "GPU_0_bfc", 1024);
    region(1, BASE, 2 << 20);
    returned(1, "GPU_0_bfc", 1024, BASE);
    allocate(1, "GPU_0_bfc", 1024, BASE + 1024);
    free(2, "GPU_0_bfc", 1024, BASE);
  }

  @Test
  void aFreeWithoutMergesCameBeforeTheNextRequest() throws TraceFormatException {
    freedWhileAnotherThreadAsks();
    allocate(1, "GPU_0_bfc", 4096, BASE + 2048);
    assertEquals("+0=1024 +1=1024 -0 +2=4096", rows(read().trace(), 0));
  }

  @Test
  void aFreeWhoseChunkWouldHaveBeenTheBetterFitCameLater() throws TraceFormatException {
    freedWhileAnotherThreadAsks();
    allocate(1, "GPU_0_bfc", 512, BASE + 2048);
    BfcLog log = read();
    assertEquals("+0=1024 +1=1024 +2=512 -0", rows(log.trace(), 0));
    assertTrue(log.notes().getLast().endsWith("cannot have come after them: 1"));
  }

  @Test
  void aFreeWhoseThreadHasGoneOnCameBefore() throws TraceFormatException {
    freedWhileAnotherThreadAsks();
    add(2, "anything else");
    allocate(1, "GPU_0_bfc", 512, BASE + 2048);
    assertEquals("+0=1024 +1=1024 -0 +2=512", rows(read().trace(), 0));
  }

  @Test
  void aFreeThatWouldHaveMergedCameAfterTheNeighbourWasTaken() throws TraceFormatException {
    request(1, "GPU_0_bfc", 1024);
    region(1, BASE, 4096);
    returned(1, "GPU_0_bfc", 1024, BASE);
    free(2, "GPU_0_bfc", 1024, BASE);
    allocate(1, "GPU_0_bfc", 3072, BASE + 1024);
    assertEquals("+0=1024 +1=3072 -0", rows(read().trace(), 0));
  }

  @Test
  void aMergeShowsThatTheNeighbourWasFreedBefore() throws TraceFormatException {
    request(1, "GPU_0_bfc", 1024);
    region(1, BASE, 4096);
    returned(1, "GPU_0_bfc", 1024, BASE);
    allocate(1, "GPU_0_bfc", 3072, BASE + 1024);
    free(2, "GPU_0_bfc", 1024, BASE);
    free(1, "GPU_0_bfc", 3072, BASE + 1024);
    add(1, "Merging c %s into c->prev %s".formatted(hex(BASE + 1024), hex(BASE)));
    assertEquals("+0=1024 +1=3072 -0 -1", rows(read().trace(), 0));
  }

  @Test
  void linesOfTwoThreadsInOneAreBothRead() throws TraceFormatException {
    allocate(1, "GPU_0_bfc", 100, BASE);
    lines.add("STATS " + line(1, "[mem-debug] DeallocateRaw,GPU_0_bfc,100," + hex(BASE) + ","));
    lines.add(line(1, "AllocateRaw GPU_0_bfc 7 align") + line(2, "anything"));
    add(1, "Returning: " + hex(BASE), "AllocateRaw GPU_0_bfc  7 " + hex(BASE));
    BfcLog log = read();
    assertEquals("+0=100 -0 +1=7", rows(log.trace(), 0));
    assertTrue(log.notes().getLast().startsWith("requests without a complete result line"));
  }

  @Test
  void aFreeWhoseLineIsCutIsKnownByItsMerge() throws TraceFormatException {
    allocate(1, "GPU_0_bfc", 100, BASE);
    add(2, "DeallocateRaw GPU_0_bfc 100");
    mergedNext(2, BASE, BASE + 256);
    allocate(1, "GPU_0_bfc", 50, BASE + 512);
    assertEquals("+0=100 -0 +1=50", rows(read().trace(), 0));
  }

  @Test
  void memoryThatIsHandedOutAgainWasFreed() throws TraceFormatException {
    allocate(1, "GPU_0_bfc", 100, BASE);
    allocate(1, "GPU_0_bfc", 50, BASE);
    BfcLog log = read();
    assertEquals("+0=100 -0 +1=50", rows(log.trace(), 0));
    assertTrue(log.notes().toString().contains("missing from the log, inserted"));
  }

  @Test
  void freesOfMemoryFromBeforeTheLogAreLeftOutAndCounted() throws TraceFormatException {
    free(1, "GPU_0_bfc", 100, BASE);
    allocate(1, "GPU_0_bfc", 50, BASE);
    free(1, "GPU_0_bfc", 50, BASE);
    BfcLog log = read();
    assertEquals("+0=50 -0", rows(log.trace(), 0));
    assertTrue(log.notes().toString().contains("from before the log: 1"), log.notes()::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(nil)", "0x0", "0"})
  void requestsThatFailedAreRequests(String none) throws TraceFormatException {
    request(1, "GPU_0_bfc", 1L << 40);
    add(
        1,
        "AllocateRaw GPU_0_bfc  1099511627776 " + none,
        "[mem-debug] AllocateRaw,GPU_0_bfc,1099511627776," + none + ",");
    BfcLog log = read();
    assertEquals("+0=1099511627776", rows(log.trace(), 0));
    assertTrue(log.notes().toString().contains("that failed: 1"), log.notes()::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1121 00:07:16.334043 tid=966 line=333 ",
        "I0000 00:00:1700000000.123456     966 bfc_allocator.cc:333] ",
        "2024-11-21 00:07:16.334043: I external/xla/tsl/framework/bfc_allocator.cc:333] ",
        ""
      })
  void otherPrefixesAreKnown(String prefix) throws TraceFormatException {
    lines.add(prefix + "AllocateRaw GPU_0_bfc 70 alignment=64");
    lines.add(prefix + "Returning: 0x302000000");
    lines.add(prefix + "AllocateRaw GPU_0_bfc  70 0x302000000");
    lines.add(prefix + "[mem-debug] AllocateRaw,GPU_0_bfc,70,0x302000000,    @ 0x1 main");
    lines.add("    @ 0x2 Returning: 0x303000000");
    lines.add(prefix + "DeallocateRaw GPU_0_bfc 70");
    lines.add(prefix + "[mem-debug] DeallocateRaw,GPU_0_bfc,70,0x302000000,");
    assertEquals("+0=70 -0", rows(read().trace(), 0));
  }

  @Test
  void aLogWithoutTheAddressesOfFreesIsRefused() {
    request(1, "GPU_0_bfc", 70);
    add(1, "AllocateRaw GPU_0_bfc  70 0x302000000", "DeallocateRaw GPU_0_bfc 70");
    TraceFormatException error = assertThrows(TraceFormatException.class, this::read);
    assertTrue(error.getMessage().contains("bfc_allocator=5"), error.getMessage());
  }

  @Test
  void aLogWithoutRequestsIsRefused() {
    add(1, "Creating new BFCAllocator named: GPU_0_bfc");
    TraceFormatException error = assertThrows(TraceFormatException.class, this::read);
    assertTrue(error.getMessage().contains("no request"), error.getMessage());
  }

  @Test
  void aFileThatNamesNoEndOfAllocatorsIsRefused() {
    for (int i = 0; i < 1000; i++) {
      request(1, "pool" + i, 1);
    }
    TraceFormatException error = assertThrows(TraceFormatException.class, this::read);
    assertTrue(error.getMessage().contains("line 128"), error.getMessage());
  }

  @Test
  void theFormatIsKnownByContent() throws TraceFormatException {
    add(1, "Creating new BFCAllocator named: GPU_0_bfc");
    allocate(1, "GPU_0_bfc", 1, BASE);
    TraceFile file = TraceFormats.of(file()).read(file(), Progress.NONE);
    assertEquals(BfcLogFormat.ID, file.format());
    assertEquals(1, file.trace().eventCount());
  }
}
