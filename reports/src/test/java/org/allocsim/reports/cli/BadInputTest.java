package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.allocsim.reports.cli.PickleBytes.UnsignedLong;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a file holds: one sentence, exit code 1, and no output file. */
class BadInputTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path folder;
  private Path outputs;

  @BeforeEach
  void makeOutputFolder() throws IOException {
    outputs = Files.createDirectory(folder.resolve("outputs"));
  }

  @Test
  void truncatedFile() throws IOException {
    byte[] whole = TestSnapshot.ofOneTensor().bytes();
    for (int length : new int[] {1, 2, 10, whole.length / 2, whole.length - 1}) {
      assertRefused(Arrays.copyOf(whole, length), "");
    }
  }

  @Test
  void truncatedCompressedFile() throws IOException {
    byte[] whole = Files.readAllBytes(CommandRun.recording("device_oom.pickle.xz"));
    assertRefused(Arrays.copyOf(whole, whole.length / 2), "");
  }

  @Test
  void randomBytes() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] bytes = new byte[1 + random.nextInt(4000)];
      random.nextBytes(bytes);
      assertRefused(bytes, "");
    }
  }

  @Test
  void emptyFile() throws IOException {
    assertRefused(new byte[0], "empty");
  }

  @Test
  void pickleThatWouldImportCode() throws IOException {
    assertRefused(
        "\u0080\u0002cos\nsystem\n(S'touch imported'\ntR.".getBytes(ISO_8859_1), "GLOBAL");
    assertRefused(
        "\u0080\u0004\u008c\u0002os\u008c\u0006system\u0093.".getBytes(ISO_8859_1), "STACK_GLOBAL");
  }

  @Test
  void twelveBytesThatAnnounceTwoToTheSixty() throws IOException {
    byte[] file = {(byte) 0x80, 4, (byte) 0x8d, 0, 0, 0, 0, 0, 0, 0, 0x10, '.'};
    assertRefused(file, "");
  }

  @Test
  void deepNesting() throws IOException {
    byte[] file = new byte[2_000_003];
    Arrays.fill(file, (byte) ']');
    file[0] = (byte) 0x80;
    file[1] = 2;
    Arrays.fill(file, 1_000_002, 2_000_002, (byte) 'a');
    file[2_000_002] = '.';
    assertRefused(file, "");
  }

  @Test
  void selfReferringContainer() throws IOException {
    assertRefused("\u0080\u0002]q\u0000h\u0000a.".getBytes(ISO_8859_1), "");
  }

  @Test
  void zstdBomb() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream zstd = new ZstdOutputStream(packed)) {
      zstd.write(new byte[] {(byte) 0x80, 2, 'U', 1, '0'});
      byte[] zeros = new byte[1 << 20];
      Arrays.fill(zeros, (byte) '0');
      for (int i = 0; i < 512; i++) {
        zstd.write(zeros);
      }
    }
    assertTrue(packed.size() < (512 << 20) / 10_000, "the bomb is not dense: " + packed.size());
    assertRefused(packed.toByteArray(), "");
  }

  @Test
  void snapshotWithoutHistory() throws IOException {
    byte[] file = TestSnapshot.ofOneTensor().bytesWithoutHistory();
    assertRefusedBy("replay", file, "_record_memory_history");
    assertRefusedBy("verify", file, "_record_memory_history");
  }

  @Test
  void unknownAction() throws IOException {
    assertRefused(TestSnapshot.ofOneTensor().event("teleport", 64 * MIB, 512).bytes(), "teleport");
  }

  @Test
  void freeOfAnUnknownAddress() throws IOException {
    byte[] file =
        TestSnapshot.ofOneTensor()
            .event("free_requested", 999 * MIB, 512)
            .event("free_completed", 999 * MIB, 512)
            .bytes();
    assertRefusedBy("replay", file, "free");
    assertRefusedBy("verify", file, "free");
  }

  @Test
  void sizeBeyondTwoToTheSixtyThree() throws IOException {
    assertRefused(
        TestSnapshot.ofOneTensor()
            .event("alloc", 64 * MIB, new UnsignedLong(Long.MIN_VALUE))
            .bytes(),
        "size");
    assertRefused(TestSnapshot.ofOneTensor().event("alloc", 64 * MIB, -1).bytes(), "size");
  }

  @Test
  void timeRunningBackwards() throws IOException {
    assertRefused(
        TestSnapshot.ofOneTensor().backInTime(500).event("alloc", 64 * MIB, 512).bytes(), "time");
  }

  @Test
  void folderInPlaceOfAFile() {
    assertRefused("replay", folder, "folder");
    assertRefused("verify", folder, "folder");
    assertRefused("inspect", folder, "folder");
  }

  @Test
  void missingFile() {
    Path missing = folder.resolve("missing.pickle");
    assertRefused("replay", missing, "missing.pickle: no such file");
    assertRefused("verify", missing, "missing.pickle: no such file");
    assertRefused("inspect", missing, "missing.pickle: no such file");
  }

  @Test
  void aMistypedFileOrFolderIsNamedAsItIs() throws IOException {
    Path snapshot = Files.createDirectory(folder.resolve("runs")).resolve("snapshot.pickle");
    Files.write(snapshot, TestSnapshot.ofOneTensor().bytes());
    String meant = ": no such file; did you mean '" + snapshot + "'?";
    Path mistyped = folder.resolve("runs/snapsot.pickle");
    assertRefused("replay", mistyped, mistyped + meant);
    assertRefused("explain-oom", mistyped, mistyped + meant);
    Path elsewhere = folder.resolve("rusn/snapshot.pickle");
    assertRefused("diagnose", elsewhere, elsewhere + meant);
  }

  @Test
  void namesInAFileReachNoTerminalAsControlCharacters() throws IOException {
    CommandRun run = replay(TestSnapshot.ofOneTensor().event("\u001b[2J\nx", 0, 0).bytes());
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertFalse(run.err().contains("\u001b"), run.err());
    assertEquals(1, run.err().lines().count());
  }

  private void assertRefused(byte[] file, String cause) throws IOException {
    for (String command : List.of("replay", "verify", "inspect")) {
      assertRefusedBy(command, file, cause);
    }
  }

  private void assertRefusedBy(String command, byte[] file, String cause) throws IOException {
    assertRefused(command, Files.write(folder.resolve("bad.pickle"), file), cause);
  }

  private CommandRun replay(byte[] file) throws IOException {
    return CommandRun.of("replay", Files.write(folder.resolve("bad.pickle"), file));
  }

  private void assertRefused(String command, Path file, String cause) {
    CommandRun run = CommandRun.of(command, file, "--json", outputs.resolve("out.json"));
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.err() + run.out());
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().startsWith("allocsim: " + file), run.err());
    assertTrue(run.err().contains(cause), run.err());
    assertFalse(run.err().contains("defect"), run.err());
    assertEquals(List.of(), CommandRun.files(outputs));
  }
}
