package org.allocsim.workloads.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredInputTest {
  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(5).nextBytes(bytes);
    return bytes;
  }

  private static byte[] readAll(StoredInput input) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] piece = new byte[1000];
    for (int got = input.read(piece, 0, 1000); got >= 0; got = input.read(piece, 0, 1000)) {
      all.write(piece, 0, got);
    }
    return all.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 6, 7, 100_000})
  void plainBytesComeBackWhateverTheLength(int length) throws Exception {
    byte[] plain = random(length);
    StoredInput input = StoredInput.of(new ByteArrayInputStream(plain));
    assertEquals(Compression.NONE, input.compression());
    assertArrayEquals(plain, readAll(input));
    assertEquals(length, input.storedBytes());
  }

  @Test
  void signaturesCutShortAreNoCompression() {
    byte[] xz = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0};
    assertEquals(Compression.XZ, Compression.of(xz, 6));
    assertEquals(Compression.NONE, Compression.of(xz, 5));
    assertEquals(Compression.GZIP, Compression.of(new byte[] {0x1f, (byte) 0x8b, 0, 0, 0, 0}, 2));
    assertEquals(Compression.NONE, Compression.of(new byte[6], 0));
  }

  @Test
  void theDigestCoversTheStoredFileEvenWhereItIsNotReadToTheEnd() throws Exception {
    byte[] stored = Zstd.compress(random(300_000));
    StoredInput input = StoredInput.of(new ByteArrayInputStream(stored));
    assertEquals(10, input.read(new byte[10], 0, 10));
    assertEquals(
        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(stored)),
        input.finishDigest());
  }

  @Test
  void expansionBeyondTheLimitStopsAfterTheFreeBytes() throws Exception {
    byte[] small = Zstd.compress(new byte[(int) StoredInput.FREE_BYTES]);
    assertEquals(
        StoredInput.FREE_BYTES, readAll(StoredInput.of(new ByteArrayInputStream(small))).length);

    byte[] bomb = Zstd.compress(new byte[64 << 20]);
    ExpansionLimitException limit =
        assertThrows(
            ExpansionLimitException.class,
            () -> readAll(StoredInput.of(new ByteArrayInputStream(bomb))));
    assertTrue(limit.plainBytes() < StoredInput.FREE_BYTES + (1 << 20));
    assertEquals(bomb.length, limit.storedBytes());
  }

  @Test
  void plainFilesMayHoldAnything() throws Exception {
    byte[] zeros = new byte[(int) StoredInput.FREE_BYTES + 5000];
    assertEquals(zeros.length, readAll(StoredInput.of(new ByteArrayInputStream(zeros))).length);
  }

  @Test
  void aDamagedHeaderIsAnError() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(1);
    }
    byte[] cut = Arrays.copyOf(bytes.toByteArray(), 5);
    assertThrows(IOException.class, () -> StoredInput.of(new ByteArrayInputStream(cut)));
  }
}
