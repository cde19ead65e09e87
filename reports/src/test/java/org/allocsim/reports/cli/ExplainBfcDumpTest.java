package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code explain-oom} on dumps of BFC allocators, which are made up here in the words of each. */
class ExplainBfcDumpTest {
  private static final long MIB = 1L << 20;
  private static final String TF2 =
      "2024-05-01 10:00:00.000001: I tsl/framework/bfc_allocator.cc:1] ";
  private static final String TF1 = "I tensorflow/core/common_runtime/bfc_allocator.cc:661] ";
  private static final String XLA = "I0501 10:00:00.000001    77 bfc_allocator.cc:1101] ";

  @TempDir private Path folder;
  private final List<String> lines = new ArrayList<>();

  private CommandRun explain(Object... options) throws IOException {
    Path file = Files.write(folder.resolve("dump.txt"), lines);
    Object[] arguments = new Object[options.length + 2];
    arguments[0] = "explain-oom";
    arguments[1] = file;
    System.arraycopy(options, 0, arguments, 2, options.length);
    return CommandRun.of(arguments);
  }

  private void chunk(String prefix, String state, long address, long mebibytes) {
    lines.add(prefix + "%s at %x of size %d next 7".formatted(state, address, mebibytes * MIB));
  }

  /** TensorFlow 2: 64 MiB asked; 40 MiB and 36 MiB free among 424 MiB in use. */
  private void fragmented(String limit) {
    lines.add(
        "2024-05-01 10:00:00.000000: W tsl/framework/bfc_allocator.cc:5] Allocator (GPU_0_bfc) ran"
            + " out of memory trying to allocate 64.00MiB (rounded to 67108864)requested by op"
            + " MatMul");
    lines.add("Current allocation summary follows.");
    lines.add(TF2 + "BFCAllocator dump for GPU_0_bfc");
    lines.add(
        TF2
            + "Bin (256): \tTotal Chunks: 0, Chunks in use: 0. 0B allocated for chunks. 0B in use"
            + " in bin. 0B client-requested in use in bin.");
    lines.add(TF2 + "Bin for 64.00MiB was 64.00MiB, Chunk State: ");
    lines.add(TF2 + "Next region of size 524288000");
    chunk(TF2, "InUse", 0x7f0000000000L, 200);
    chunk(TF2, "Free ", 0x7f000c800000L, 40);
    chunk(TF2, "InUse", 0x7f000f000000L, 224);
    chunk(TF2, "Free ", 0x7f001d000000L, 36);
    lines.add(TF2 + "     Summary of in-use Chunks by size: ");
    lines.add(TF2 + "1 Chunks of size 209715200 totalling 200.00MiB");
    lines.add(TF2 + "Sum Total of in-use chunks: 424.00MiB");
    lines.add(TF2 + "Stats: ");
    lines.add("Limit:                       " + limit);
    lines.add("InUse:                       444596224");
    lines.add("NumAllocs:                        1234");
    lines.add("MaxAllocSize:                234881024");
  }

  @Test
  void enoughThatIsFreeButNotInOnePieceIsFragmentation() throws IOException {
    fragmented("524288000");
    CommandRun run = explain();
    assertEquals(10, run.exitCode(), run.err());
    Golden.assertGolden(
        "explain-oom-bfc.txt", run.out().replace(folder.resolve("dump.txt").toString(), "DUMP"));
  }

  @Test
  void lessThanTheRequestIsFull() throws IOException {
    fragmented("524288000");
    lines.set(0, lines.getFirst().replace("67108864", "167108864"));
    CommandRun run = explain();
    assertEquals(11, run.exitCode(), run.err());
    assertTrue(run.out().startsWith("FULL"), run.out());
  }

  @Test
  void whatThePoolMayStillGetCounts() throws IOException {
    fragmented("624288000");
    lines.set(0, lines.getFirst().replace("67108864", "167108864"));
    assertEquals(10, explain().exitCode());
  }

  @Test
  void aRequestBeyondTheLimitIsImpossible() throws IOException {
    fragmented("524288000");
    lines.set(0, lines.getFirst().replace("67108864", "524288256"));
    assertEquals(16, explain().exitCode());
  }

  @Test
  void jsonHoldsBinsAndTheLargestFreeChunk() throws IOException {
    fragmented("524288000");
    Path json = folder.resolve("out.json");
    assertEquals(10, explain("--json", json).exitCode());
    JsonNode tree = JsonMapper.builder().build().readTree(Files.readString(json));
    assertEquals("FRAGMENTED", tree.get("oom_verdict").asString());
    JsonNode dump = tree.get("bfc_dumps").get(0);
    assertEquals(40 * MIB, dump.get("largest_free_bytes").asLong());
    assertEquals(76 * MIB, dump.get("free_bytes").asLong());
    assertEquals(67_108_864, dump.get("requested_bytes").asLong());
    assertEquals(524_288_000, dump.get("limit_bytes").asLong());
    assertEquals(2, dump.get("bins").size());
    assertEquals(2, dump.get("bins").get(0).get("free_chunks").asInt());
    assertEquals(2, dump.get("bins").get(1).get("chunks_in_use").asInt());
  }

  @Test
  void tensorFlow1PrintsTheReasonAfterTheChunks() throws IOException {
    lines.add(TF1 + "Bin (256): \tTotal Chunks: 0, Chunks in use: 0 0B allocated for chunks.");
    lines.add(TF1 + "Bin for 392.00MiB was 256.00MiB, Chunk State: ");
    lines.add(TF1 + "Chunk at 0x102084c2500 of size 524288000");
    lines.add(TF1 + "Free at 0x122084c2500 of size 209715200");
    lines.add(TF1 + "Free at 0x132084c2500 of size 209715200");
    lines.add(TF1 + "Stats: ");
    lines.add("Limit:                  943718400");
    lines.add("MaxAllocSize:           524288000");
    lines.add(
        "W tensorflow/core/common_runtime/bfc_allocator.cc:275] Ran out of memory trying to"
            + " allocate 392.00MiB.  See logs for memory state.");
    CommandRun run = explain();
    assertEquals(10, run.exitCode(), run.err());
    assertTrue(run.out().contains("line 1, a BFC allocator"), run.out());
  }

  @Test
  void everyDumpOfALogIsExplained() throws IOException {
    fragmented("524288000");
    fragmented("524288000");
    lines.set(lines.size() / 2, lines.getFirst().replace("67108864", "167108864"));
    CommandRun run = explain();
    assertTrue(run.out().contains("\nFULL"), run.out());
    assertTrue(run.out().startsWith("FRAGMENTED"), run.out());
    assertTrue(explain("--show", 1).out().contains("1 more dump"));
  }

  @Test
  void aDumpThatIsCutOffSaysWhatItLacks() throws IOException {
    lines.add(XLA + "BFCAllocator dump for GPU_0_bfc");
    lines.add(XLA + "Bin (256): \tTotal Chunks: 10, Chunks in use: 3. 4KiB allocated for chunks.");
    CommandRun run = explain();
    assertEquals(17, run.exitCode(), run.err());
    assertTrue(run.out().contains("has no chunks"), run.out());
  }

  @Test
  void aLargeEnoughFreeChunkIsNoExplanation() throws IOException {
    fragmented("524288000");
    lines.set(0, lines.getFirst().replace("67108864", "1048576"));
    CommandRun run = explain();
    assertEquals(17, run.exitCode(), run.err());
    assertTrue(run.out().contains("from another moment"), run.out());
  }
}
