package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.columns;
import static org.allocsim.workloads.format.pytorch.SnapshotData.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class CompressedSnapshotTest {
  private static byte[] synthetic() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SyntheticSnapshotWriter.write(bytes, 5_000, 3);
    return bytes.toByteArray();
  }

  private static OutputStream compressor(String format, OutputStream out) throws IOException {
    return switch (format) {
      case "gzip" -> new GZIPOutputStream(out);
      case "xz" -> new XZOutputStream(out, new LZMA2Options(1));
      case "zstd" -> new ZstdOutputStream(out);
      default -> throw new IllegalArgumentException(format);
    };
  }

  private static byte[] compress(String format, byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = compressor(format, bytes)) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "xz", "zstd"})
  void compressionIsRecognisedByContent(String format) throws Exception {
    byte[] plain = synthetic();
    byte[] stored = compress(format, plain);
    Snapshot read = read(stored);
    assertEquals(columns(read(plain)), columns(read));
    assertEquals(
        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(stored)),
        read.sha256());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "xz", "zstd"})
  void filesOfSeveralMembersAreReadAsOne(String format, @TempDir Path folder) throws Exception {
    byte[] plain = synthetic();
    int half = plain.length / 2;
    byte[] stored =
        join(
            compress(format, Arrays.copyOf(plain, half)),
            compress(format, Arrays.copyOfRange(plain, half, plain.length)));
    assertEquals(columns(read(plain)), columns(read(stored)));
    Path file = Files.write(folder.resolve("members"), stored);
    assertEquals(columns(read(plain)), columns(SnapshotReader.read(file, Progress.NONE)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "xz", "zstd"})
  void truncatedAndDamagedCompressedDataAreRefused(String format) throws Exception {
    byte[] stored = compress(format, synthetic());
    for (int length = 7; length < stored.length - 20; length += 1 + stored.length / 40) {
      byte[] start = Arrays.copyOf(stored, length);
      String sentence = assertThrows(TraceFormatException.class, () -> read(start)).getMessage();
      assertTrue(
          sentence.contains(format + " data") || sentence.contains("compressed data"), sentence);
      assertTrue(sentence.endsWith("; copy the file again."), sentence);
    }
    byte[] damaged = stored.clone();
    for (int i = 100; i < 140; i++) {
      damaged[i] ^= 0x55;
    }
    assertThrows(TraceFormatException.class, () -> read(damaged));
  }

  @Test
  void bombsAreRefusedEarly() throws Exception {
    // A list of texts that are too long to be kept: what is read takes no memory.
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZstdOutputStream out = new ZstdOutputStream(bytes, 19)) {
      out.write(new byte[] {(byte) 0x80, 4, ']', '(', (byte) 0x8d, 0, 0, 0, 0, 8, 0, 0, 0});
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 1024; i++) {
        out.write(zeros);
      }
    }
    byte[] bomb = bytes.toByteArray();
    assertTrue(
        (1L << 30) / bomb.length > 10_000, "the bomb expands 1 to " + (1 << 30) / bomb.length);
    String sentence = assertThrows(TraceFormatException.class, () -> read(bomb)).getMessage();
    assertTrue(
        sentence.contains("more than 1000 to 1, which is implausible for a recording"), sentence);
    assertTrue(
        sentence.endsWith("; if you trust the file, unpack it first and read the result."),
        sentence);
  }

  @Test
  void zstdWindowsBeyond128MebibytesAreRefused() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZstdOutputStream out = new ZstdOutputStream(bytes, 1)) {
      out.setWindowLog(28);
      out.write(synthetic());
    }
    String sentence =
        assertThrows(TraceFormatException.class, () -> read(bytes.toByteArray())).getMessage();
    assertTrue(sentence.contains("zstd"), sentence);
  }

  @Test
  void recordingsExpandFarLessThanTheLimit() throws Exception {
    byte[] plain = synthetic();
    int smallest =
        List.of(compress("xz", plain).length, Zstd.compress(plain, 19).length).stream()
            .mapToInt(Integer::intValue)
            .min()
            .orElseThrow();
    assertTrue(plain.length / smallest < 100, "expands 1 to " + plain.length / smallest);
  }

  @Test
  void progressRunsToTheSizeOfTheFile(@TempDir Path folder) throws Exception {
    byte[] stored = synthetic();
    Path file = Files.write(folder.resolve("plain"), stored);
    List<Long> done = new ArrayList<>();
    SnapshotReader.read(
        file,
        (bytesDone, bytesTotal) -> {
          assertEquals(stored.length, bytesTotal);
          assertTrue(done.isEmpty() || bytesDone >= done.getLast());
          done.add(bytesDone);
        });
    assertEquals(stored.length, done.getLast());
    assertTrue(done.size() > 2);
  }
}
