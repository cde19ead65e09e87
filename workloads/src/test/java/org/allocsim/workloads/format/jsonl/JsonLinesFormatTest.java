package org.allocsim.workloads.format.jsonl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.PoolOptions;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.TraceText;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;
import org.allocsim.workloads.io.Compression;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLinesFormatTest {
  private static final String HEADER = "{\"allocsim\":\"trace\",\"version\":1}\n";

  @TempDir private Path folder;

  private Path write(AllocationTrace trace, int device, String name) throws IOException {
    Path file = folder.resolve(name);
    try (OutputStream out = Compression.ofName(name).encode(Files.newOutputStream(file))) {
      new JsonLinesWriter().write(trace, device, out);
    }
    return file;
  }

  private TraceFile read(String text) throws IOException, TraceFormatException {
    return new JsonLinesFormat()
        .read(Files.writeString(folder.resolve("trace.jsonl"), text), Progress.NONE);
  }

  private static AllocationTrace everything() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    StackTable.Builder stacks = new StackTable.Builder();
    PoolId pool = new PoolId(3, 0);
    int stack = stacks.stack(stacks.frame("a \"b\".py", 7, "f"), stacks.frame("c.py", 0, "<λ>"));
    trace.at(0, -5, 0);
    int old = trace.allocate(100, 0, PoolId.DEFAULT);
    trace.endPrologue();
    trace.at(0, 10, stack);
    trace.markerBegin("step 1");
    int a = trace.allocate(0, -16, PoolId.DEFAULT);
    int b = trace.allocate(Long.MAX_VALUE / 2, 0x7f00, pool);
    trace.useStream(a, -16, 3);
    trace.useUnknownStream(a, 0);
    trace.useComplete(a);
    trace.useComplete(a, 0x7f00);
    trace.at(0, 9, 0);
    trace.synchronize();
    trace.synchronizeStream(0x7f00);
    trace.emptyCache();
    trace.free(old);
    trace.free(b, 0x7f00);
    trace.restoreBlock(512, 0, pool, b, -1024);
    trace.restoreBlock(512, 0, pool, AllocationTrace.NO_ALLOCATION, 1L << 40);
    trace.releasePool(pool);
    trace.emptyPool(pool);
    trace.changeSettings("max_split_size_mb:64");
    trace.changeLimit(1L << 40);
    trace.changeLimit(-1);
    trace.snapshot();
    int loader = trace.declareLoader(new Loader(4, 2, 1_000, 10, 7));
    trace.loadBatch(loader);
    int host = trace.allocateHost(1_000);
    trace.launch(new Work.Copy(1_000, true, true), 0x7f00);
    trace.launch(new Work.Copy(8, false, false), 0);
    trace.useHostOnStream(host, 0x7f00);
    trace.recordEvent(3, 0x7f00);
    trace.waitEvent(3, 0);
    trace.launch(new Work.Kernel(12, 34, Precision.BF16), 0);
    trace.launch(new Work.Timed(5_000), -16);
    trace.launch(new Work.Collective(Work.Collective.Pattern.ALL_GATHER, 4_096, 8), 0x7f00);
    trace.launch(new Work.Collective(Work.Collective.Pattern.RECEIVE, 4_096, 8, 7), 0x7f00);
    trace.synchronizeEvent(3);
    trace.hostWork(20);
    trace.freeHost(host);
    trace.markerEnd("step 1");
    return trace.build(stacks.build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"t.jsonl", "t.jsonl.gz", "t.jsonl.xz", "t.jsonl.zst"})
  void whatIsWrittenIsReadBackWhateverItIsCompressedWith(String name) throws Exception {
    AllocationTrace trace = everything();
    Path file = write(trace, 0, name);
    assertEquals("jsonl", TraceFormats.of(file).id());
    TraceFile read = TraceFormats.of(file).read(file, Progress.NONE);
    assertEquals(TraceText.of(trace, 0), TraceText.of(read.trace(), 0));
    assertEquals(1, read.trace().prologueCount());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pytorch-models/gpt_varlen",
        "pytorch-models/prefetch_streams",
        "pytorch-other/compile_cudagraphs",
        "pytorch-models/late_start"
      })
  void recordingsAreReadBackEqual(String name) throws Exception {
    Path file =
        Path.of(System.getProperty("allocsim.recordings", "../../shared/recordings"))
            .resolve(name + ".pickle.xz");
    assumeTrue(Files.exists(file), "not run: needs " + file);
    AllocationTrace trace = new SnapshotFormat().read(file, Progress.NONE).trace();
    Path written = write(trace, 0, "t.jsonl.zst");
    assertEquals(
        TraceText.of(trace, 0),
        TraceText.of(new JsonLinesFormat().read(written, Progress.NONE).trace(), 0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whetherAProgramRunsOnPyTorchIsKept(boolean ofPyTorch) throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(ofPyTorch);
    trace.allocate(1, 0, PoolId.DEFAULT);
    Path file = write(trace.build(StackTable.empty()), JsonLinesFormat.ALL_DEVICES, "p.jsonl");
    TraceFile read = new JsonLinesFormat().read(file, Progress.NONE);
    assertEquals(ofPyTorch, read.trace().isOfPyTorch());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"|false", ",\"pytorch\":false|false", ",\"pytorch\":true|true"})
  void aProgramRunsOnPyTorchOnlyIfItsFirstLineSaysSo(String field, boolean ofPyTorch)
      throws Exception {
    String header = HEADER.replace("}", (field == null ? "" : field) + "}");
    assertEquals(ofPyTorch, read(header).trace().isOfPyTorch());
  }

  @Test
  void howAPoolWasMadeIsKept() throws Exception {
    TraceFile file =
        read(
            HEADER
                + "{\"op\":\"pool\",\"pool\":[0,1],\"use_on_oom\":true}\n"
                + "{\"op\":\"pool\",\"pool\":[0,2],\"no_split\":true,\"use_on_oom\":false}\n"
                + "{\"op\":\"pool\",\"pool\":[0,3]}\n");
    Path written = write(file.trace(), JsonLinesFormat.ALL_DEVICES, "pools.jsonl");
    AllocationTrace again = new JsonLinesFormat().read(written, Progress.NONE).trace();
    for (AllocationTrace trace : List.of(file.trace(), again)) {
      assertEquals(new PoolOptions(true, false), trace.poolOptions(1));
      assertEquals(new PoolOptions(false, true), trace.poolOptions(2));
      assertEquals(PoolOptions.PLAIN, trace.poolOptions(3));
    }
    assertThrows(
        TraceFormatException.class,
        () -> read(HEADER + "{\"op\":\"pool\",\"pool\":[0,0],\"no_split\":true}\n"));
  }

  @Test
  void theFrameworkIsTrueOrFalse() {
    String header = HEADER.replace("}", ",\"pytorch\":\"2.11\"}");
    TraceFormatException error = assertThrows(TraceFormatException.class, () -> read(header));
    assertTrue(error.getMessage().contains("true or false"), error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 69_793_218_560L})
  void whatWasRefusedIsKept(long bytes) throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
    trace.allocate(1, 0, PoolId.DEFAULT);
    if (bytes >= 0) {
      trace.refuse(bytes);
    }
    Path file = write(trace.build(StackTable.empty()), JsonLinesFormat.ALL_DEVICES, "p.jsonl");
    assertEquals(bytes >= 0, Files.readString(file).contains("refused_bytes"));
    TraceFile read = new JsonLinesFormat().read(file, Progress.NONE);
    assertEquals(bytes, read.trace().refusedBytes());
  }

  @Test
  void idsMayBeUsedAgainAndTimesAndDevicesHoldOn() throws Exception {
    TraceFile file =
        read(
            HEADER
                + "{\"op\":\"alloc\",\"id\":140,\"bytes\":5,\"time_ns\":7,\"device\":2}\n"
                + "\n"
                + "{\"op\":\"free\",\"id\":140}\n"
                + "{\"op\":\"alloc\",\"id\":140,\"bytes\":6,\"stream\":\"0x10\"}\n");
    assertEquals(
        "--\nALLOCATE 0 5 0 (0,0) 7\nFREE 0 0 ? (0,0) 7\nALLOCATE 1 6 10 (0,0) 7\n",
        TraceText.of(file.trace(), 2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"op\":\"alloc\",\"id\":1}|line 2: field \"bytes\" is missing",
        "{\"op\":\"alloc\",\"id\":1,\"bytes\":-1}|negative",
        "{\"op\":\"alloc\",\"id\":1,\"bytes\":99999999999999999999}|line 2: the line is not valid",
        "{\"op\":\"alloc\",\"id\":1,\"bytes\":1.5}|\"bytes\" is not an integer",
        "{\"op\":\"alloc\",\"id\":1,\"bytes\":1,\"color\":2}|field \"color\" is unknown here",
        "{\"op\":\"alloc\",\"id\":1,\"id\":2,\"bytes\":1}|duplicate field",
        "{\"op\":\"free\",\"id\":1}|allocation 1 is not live",
        "{\"op\":\"use_stream\",\"id\":1,\"stream\":3}|allocation 1 was never created",
        "{\"op\":\"dance\"}|op \"dance\" is unknown",
        "{\"op\":\"snapshot\",\"device\":128}|outside 0..127",
        "{\"op\":\"snapshot\",\"stack\":5}|stack 5 is not defined",
        "{\"op\":\"alloc\",\"id\":1,\"bytes\":1,\"pool\":[1]}|not a pool [capture, user]",
        "{\"op\":\"alloc\",\"id\":1,\"bytes\":1,\"stream\":\"x\"}|a stream's handle",
        "{\"op\":\"alloc\",\"id\":1,\"by|the line is not valid JSON",
        "{\"op\":\"snapshot\"} {}|continues after its object",
        "[1]|is not a JSON object"
      })
  void aBadLineIsRefusedWithItsPlaceAndCause(String line, String expected) {
    TraceFormatException error =
        assertThrows(TraceFormatException.class, () -> read(HEADER + line + "\n"));
    assertTrue(error.getMessage().contains(expected), error.getMessage());
    assertTrue(error.getMessage().contains("line 2"), error.getMessage());
  }

  @Test
  void anotherVersionIsRefused() {
    TraceFormatException error =
        assertThrows(
            TraceFormatException.class, () -> read("{\"allocsim\":\"trace\",\"version\":3}\n"));
    assertTrue(error.getMessage().contains("version 3"), error.getMessage());
  }
}
