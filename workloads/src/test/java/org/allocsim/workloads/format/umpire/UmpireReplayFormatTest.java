package org.allocsim.workloads.format.umpire;

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

class UmpireReplayFormatTest {
  private static final String VERSION =
      "{\"category\":\"metadata\",\"name\":\"version\",\"numeric_args\":{\"major\":2024},"
          + "\"string_args\":{\"rc\":\"\"},\"tags\":{},\"timestamp\":5}\n";

  @TempDir private Path folder;

  private TraceFile read(String text) throws IOException, TraceFormatException {
    Path file = Files.writeString(folder.resolve("umpire.1.0.replay"), text);
    return TraceFormats.of(file).read(file, Progress.NONE);
  }

  private static String operation(String name, String numbers, String texts, String tags, long at) {
    return "{\"category\":\"operation\",\"name\":\"%s\",%s\"string_args\":{%s},\"tags\":{%s},\"timestamp\":%d}\n"
        .formatted(name, numbers, texts, tags, at);
  }

  private static String resource(String ref, String name) {
    return operation(
        "make_memory_resource",
        "\"numeric_args\":{\"introspection\":1},",
        "\"allocator_ref\":\"" + ref + "\"",
        "\"allocator_name\":\"" + name + "\",\"replay\":\"true\"",
        10);
  }

  private static String pool(String ref, String name, String parent) {
    return operation(
        "make_allocator",
        "\"numeric_args\":{\"arg1\":512,\"introspection\":1},",
        "\"allocator_ref\":\"%s\",\"arg0\":\"%s\",\"type\":\"N6umpire8strategy9QuickPoolE\""
            .formatted(ref, parent),
        "\"allocator_name\":\"" + name + "\",\"replay\":\"true\"",
        20);
  }

  private static String allocate(String ref, String pointer, long bytes, long at) {
    return operation(
        "allocate",
        "\"numeric_args\":{\"size\":" + bytes + "},",
        "\"allocator_ref\":\"%s\",\"pointer\":\"%s\"".formatted(ref, pointer),
        "\"replay\":\"true\"",
        at);
  }

  private static String deallocate(String ref, String pointer, long at) {
    return operation(
        "deallocate",
        "",
        "\"allocator_ref\":\"%s\",\"pointer\":\"%s\"".formatted(ref, pointer),
        "\"replay\":\"true\"",
        at);
  }

  private static String ask(String ref, String pointer, long bytes, long at) {
    return operation(
        "reallocate",
        "\"numeric_args\":{\"size\":" + bytes + "},",
        "\"allocator_ref\":\"%s\",\"current_ptr\":\"%s\"".formatted(ref, pointer),
        "\"allocator_name\":\"HOST\",\"replay\":\"true\"",
        at);
  }

  private static String answer(String ref, String pointer, long at) {
    return operation(
        "reallocate",
        "\"numeric_args\":{},",
        "\"allocator_ref\":\"%s\",\"new_ptr\":\"%s\"".formatted(ref, pointer),
        "\"allocator_name\":\"HOST\"",
        at);
  }

  @Test
  void resourcesAreDevicesAndThoseOfGpusComeFirst() throws Exception {
    TraceFile file =
        read(
            VERSION
                + resource("0xa0", "HOST")
                + resource("0xb0", "DEVICE")
                + resource("0xc0", "UM")
                + pool("0xd0", "inner", "DEVICE")
                + pool("0xe0", "outer", "inner")
                + allocate("0xa0", "0x100", 7, 30)
                + allocate("0xe0", "0x200", 4096, 40)
                + allocate("0xb0", "0x300", 8, 50)
                + deallocate("0xa0", "0x100", 60)
                + deallocate("0xe0", "0x200", 70)
                + operation("copy", "", "\"src\":\"0x1\"", "\"replay\":\"true\"", 80)
                + operation(
                    "release", "", "\"allocator_ref\":\"0xe0\"", "\"replay\":\"true\"", 90));
    assertEquals(
        """
        --
        ALLOCATE 0 4096 0 (0,0) 40
        ALLOCATE 1 8 0 (0,0) 50
        FREE 0 0 ? (0,0) 70
        EMPTY_CACHE  0  (0,0) 90
        """,
        TraceText.of(file.trace(), 0));
    assertEquals(
        "--\nALLOCATE 0 7 0 (0,0) 30\nFREE 0 0 ? (0,0) 60\n", TraceText.of(file.trace(), 1));
    assertEquals(
        List.of(
            "device 0 is memory resource DEVICE: 2 allocations from 3 allocators",
            "device 1 is memory resource HOST: 1 allocations from 1 allocators"),
        file.notes());
  }

  @Test
  void reallocationIsAnAllocationAndAFreeUnlessTheseHaveTheirOwnLines() throws Exception {
    TraceFile file =
        read(
            VERSION
                + resource("0xa0", "HOST")
                + ask("0xa0", "0", 28, 10)
                + allocate("0xa0", "0x100", 28, 11)
                + answer("0xa0", "0x100", 12)
                + ask("0xa0", "0x100", 36, 20)
                + answer("0xa0", "0x140", 21)
                + ask("0xa0", "0x140", 0, 30)
                + deallocate("0xa0", "0x140", 31)
                + allocate("0xa0", "0x900", 0, 32)
                + answer("0xa0", "0x900", 33));
    assertEquals(
        """
        --
        ALLOCATE 0 28 0 (0,0) 11
        ALLOCATE 1 36 0 (0,0) 21
        FREE 0 0 ? (0,0) 21
        FREE 1 0 ? (0,0) 31
        ALLOCATE 2 0 0 (0,0) 32
        """,
        TraceText.of(file.trace(), 0));
  }

  @Test
  void olderFormTellsIntentAndResult() throws Exception {
    String start = "{ \"kind\":\"replay\", \"uid\":27494, \"timestamp\":%d, \"event\": \"%s\", ";
    TraceFile file =
        read(
            "# a comment\n"
                + start.formatted(1, "version")
                + "\"payload\": { \"major\":0, \"minor\":3 } }\n"
                + start.formatted(2, "makeMemoryResource")
                + "\"payload\": { \"name\": \"DEVICE\" }, \"result\": \"0xa0\" }\n"
                + start.formatted(3, "makeAllocator")
                + "\"payload\": { \"type\":\"QuickPool\", \"with_introspection\":true,"
                + " \"allocator_name\":\"pool\", \"args\": [ \"DEVICE\", 512 ] } }\n"
                + start.formatted(4, "makeAllocator")
                + "\"payload\": { \"type\":\"QuickPool\", \"with_introspection\":true,"
                + " \"allocator_name\":\"pool\", \"args\": [ \"DEVICE\", 512 ] },"
                + " \"result\": { \"allocator_ref\":\"0xb0\" } }\n"
                + start.formatted(5, "allocate")
                + "\"payload\": { \"allocator_ref\": \"0xb0\", \"size\": 134 } }\n"
                + start.formatted(6, "allocate")
                + "\"payload\": { \"allocator_ref\": \"0xb0\", \"size\": 134 },"
                + " \"result\": { \"memory_ptr\": \"0x10\" } }\n"
                + start.formatted(7, "deallocate")
                + "\"payload\": { \"allocator_ref\": \"0xb0\", \"memory_ptr\": \"0x10\" } }\n");
    assertEquals(
        "--\nALLOCATE 0 134 0 (0,0) 6\nFREE 0 0 ? (0,0) 7\n", TraceText.of(file.trace(), 0));
    assertEquals(
        List.of("device 0 is memory resource DEVICE: 1 allocations from 2 allocators"),
        file.notes());
  }

  @Test
  void whatIsNoRequestAndWhatIsFreedUnknownIsCounted() throws Exception {
    TraceFile file =
        read(
            VERSION
                + deallocate("0xa0", "0x100", 10)
                + operation("register_external_allocation", "", "", "\"replay\":\"true\"", 20)
                + operation("allocate", "", "", "", 30));
    assertEquals(
        List.of(
            "1 frees of addresses not allocated in the log were omitted",
            "2 events other than memory requests were omitted"),
        file.notes());
    assertEquals(0, file.trace().eventCount());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"category\":\"operation\",\"na|the line is not valid JSON",
        "[]|the line is not a JSON object",
        "{} {}|continues after its object",
        "{\"name\":\"allocate\",\"string_args\":{\"allocator_ref\":\"0x1\",\"pointer\":\"0x1\"},"
            + "\"tags\":{\"replay\":\"true\"}}|event allocate has no field \"size\"",
        "{\"name\":\"allocate\",\"numeric_args\":{\"size\":-1}}|a size of -1 bytes is negative",
        "{\"name\":\"allocate\",\"numeric_args\":{\"size\":1e9}}|field \"size\" is not an integer",
        "{\"name\":\"allocate\",\"numeric_args\":{\"size\":99999999999999999999}}|below 2^63",
        "{\"name\":\"deallocate\",\"string_args\":{\"pointer\":\"zero\"},"
            + "\"tags\":{\"replay\":\"true\"}}|field \"pointer\" is not a hexadecimal",
        "{\"name\":\"deallocate\",\"tags\":{\"replay\":\"true\"}}|no field \"pointer\"",
        "{\"name\":7}|field \"name\" is not a string"
      })
  void aBadLineIsRefusedWithItsPlaceAndCause(String line, String expected) {
    TraceFormatException error =
        assertThrows(TraceFormatException.class, () -> read(VERSION + line + "\n"));
    assertTrue(error.getMessage().contains("line 2: "), error.getMessage());
    assertTrue(error.getMessage().contains(expected), error.getMessage());
  }

  @Test
  void whatIsWrittenIsReadBack() throws Exception {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.at(0, 1_656_026_907_657_405_326L, 0);
    int a = builder.allocate(100, 0, PoolId.DEFAULT);
    builder.allocate(Long.MAX_VALUE, 0, PoolId.DEFAULT);
    builder.allocate(0, 0, PoolId.DEFAULT);
    builder.free(a);
    builder.emptyCache();
    AllocationTrace trace = builder.build(new StackTable.Builder().build());
    assertEquals(List.of(), new UmpireReplayWriter().losses(trace, 0));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new UmpireReplayWriter().write(trace, 0, out);
    TraceFile file = read(out.toString(StandardCharsets.UTF_8));
    assertEquals("umpire-replay", file.format());
    assertEquals(TraceText.of(trace, 0), TraceText.of(file.trace(), 0));
  }

  @Test
  void whatTheLogCannotHoldIsTold() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int a = trace.allocate(1, 16, new PoolId(1, 0));
    trace.synchronize();
    trace.free(a, 16);
    assertEquals(
        List.of(
            "1 requests are neither allocations nor frees and were omitted",
            "1 allocations are from a private pool, which the log cannot represent",
            "1 allocations are on a stream, which the log cannot represent",
            "1 frees are on a stream, which the log cannot represent"),
        new UmpireReplayWriter().losses(trace.build(new StackTable.Builder().build()), 0));
  }
}
