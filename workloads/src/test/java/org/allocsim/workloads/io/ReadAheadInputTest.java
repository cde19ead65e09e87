package org.allocsim.workloads.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading ahead gives what direct reading gives, and leaves nothing behind. */
@Timeout(60)
class ReadAheadInputTest {
  /** More than all pieces that are on their way, and a bit. */
  private static final int LENGTH = 5_000_001;

  private static byte[] plain(int length) {
    // Words from a small vocabulary: they compress about as recordings do.
    SplittableRandom random = new SplittableRandom(3);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ((i / 7 * 31 + random.nextInt(3)) % 101);
    }
    return bytes;
  }

  private static byte[] stored(Compression compression, byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = compression.encode(bytes)) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  /** Reads in pieces of changing length; what ends the reading follows the bytes. */
  private static String readAll(StoredInput input, ByteArrayOutputStream all) {
    SplittableRandom random = new SplittableRandom(4);
    byte[] piece = new byte[300_000];
    try {
      while (true) {
        int got = input.read(piece, 5, 1 + random.nextInt(piece.length - 5));
        if (got < 0) {
          return "end";
        }
        all.write(piece, 5, got);
      }
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void assertNoThreadIsLeft() throws InterruptedException {
    for (int i = 0; i < 1_000 && readers() > 0; i++) {
      Thread.sleep(Duration.ofMillis(10));
    }
    assertEquals(0, readers());
  }

  private static long readers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(ReadAheadInput.THREAD_NAME))
        .count();
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void everyByteComesAndTheDigestIsThatOfTheFile(Compression compression) throws Exception {
    for (int length : new int[] {0, 1, 7, 262_143, 262_144, 262_145, LENGTH}) {
      byte[] plain = plain(length);
      byte[] stored = stored(compression, plain);
      try (StoredInput input = StoredInput.ahead(new ByteArrayInputStream(stored))) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        assertEquals("end", readAll(input, all));
        assertArrayEquals(plain, all.toByteArray());
        assertEquals(compression, input.compression());
        assertEquals(
            HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(stored)),
            input.finishDigest());
        assertEquals(stored.length, input.storedBytes());
      }
    }
    assertNoThreadIsLeft();
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"GZIP", "XZ", "ZSTD"})
  void truncatedAndDamagedFilesEndAsWhenReadDirectly(Compression compression) throws Exception {
    byte[] whole = stored(compression, plain(1_000_000));
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 40; i++) {
      byte[] stored = whole.clone();
      if (i % 2 == 0) {
        stored = Arrays.copyOf(stored, 30 + random.nextInt(whole.length - 30));
      } else {
        stored[30 + random.nextInt(whole.length - 30)] ^= 0x55;
      }
      ByteArrayOutputStream direct = new ByteArrayOutputStream();
      ByteArrayOutputStream ahead = new ByteArrayOutputStream();
      String directEnd;
      try (StoredInput input = StoredInput.of(new ByteArrayInputStream(stored))) {
        directEnd = readAll(input, direct);
      }
      try (StoredInput input = StoredInput.ahead(new ByteArrayInputStream(stored))) {
        assertEquals(directEnd, readAll(input, ahead));
        assertEquals(directEnd, readAll(input, ahead), "an error stays");
      }
      int common = Math.min(direct.size(), ahead.size());
      assertArrayEquals(
          Arrays.copyOf(direct.toByteArray(), common), Arrays.copyOf(ahead.toByteArray(), common));
    }
    assertNoThreadIsLeft();
  }

  @Test
  void expansionBeyondTheLimitStops() throws Exception {
    byte[] bomb = Zstd.compress(new byte[256 << 20]);
    AtomicLong taken = new AtomicLong();
    try (StoredInput input = StoredInput.ahead(new ByteArrayInputStream(bomb))) {
      byte[] piece = new byte[1 << 16];
      ExpansionLimitException limit =
          assertThrows(
              ExpansionLimitException.class,
              () -> {
                while (true) {
                  taken.addAndGet(input.read(piece, 0, piece.length));
                }
              });
      assertTrue(limit.plainBytes() < StoredInput.FREE_BYTES + (1 << 20));
      assertTrue(taken.get() <= limit.plainBytes());
    }
    assertNoThreadIsLeft();
  }

  @Test
  void theThreadWaitsForTheReader() throws Exception {
    AtomicLong given = new AtomicLong();
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            given.incrementAndGet();
            return 'x';
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            given.addAndGet(length);
            return length;
          }
        };
    try (StoredInput input = StoredInput.ahead(endless)) {
      assertEquals(10, input.read(new byte[10], 0, 10));
      long before;
      do {
        before = given.get();
        Thread.sleep(Duration.ofMillis(200));
      } while (given.get() > before);
      assertTrue(given.get() <= 4 * 262_144 + 6, "it took " + given.get() + " bytes in advance");
      assertEquals(1, readers());
    }
    assertNoThreadIsLeft();
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void closingEarlyEndsTheThreadAndClosesTheFile(Compression compression) throws Exception {
    byte[] stored = stored(compression, plain(LENGTH));
    for (int wanted : new int[] {0, 1, 300_000, 2_000_000}) {
      AtomicBoolean isClosed = new AtomicBoolean();
      InputStream file =
          new FilterInputStream(new ByteArrayInputStream(stored)) {
            @Override
            public void close() {
              isClosed.set(true);
            }
          };
      try (StoredInput input = StoredInput.ahead(file)) {
        byte[] piece = new byte[2_000_000];
        for (int got = 0; got < wanted; ) {
          got += input.read(piece, 0, wanted - got);
        }
        assertFalse(isClosed.get());
      }
      assertTrue(isClosed.get());
      assertNoThreadIsLeft();
    }
  }

  @Test
  void theDigestCoversTheFileWhereItIsNotReadToTheEnd() throws Exception {
    for (Compression compression : Compression.values()) {
      byte[] stored = stored(compression, plain(LENGTH));
      String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(stored));
      for (int wanted : new int[] {0, 1, 300_000}) {
        try (StoredInput input = StoredInput.ahead(new ByteArrayInputStream(stored))) {
          byte[] piece = new byte[300_000];
          for (int got = 0; got < wanted; ) {
            got += input.read(piece, 0, wanted - got);
          }
          assertEquals(digest, input.finishDigest());
        }
      }
    }
    assertNoThreadIsLeft();
  }

  @Test
  void closingDoesNotWaitForeverForAPipeThatSendsNothing() throws Exception {
    try (PipedOutputStream out = new PipedOutputStream();
        PipedInputStream pipe = new PipedInputStream(out)) {
      out.write(new byte[100]);
      StoredInput input = StoredInput.ahead(pipe);
      input.close();
    }
    assertNoThreadIsLeft();
  }

  @Test
  void aDamagedHeaderIsAnErrorAtOnce() throws Exception {
    byte[] cut = Arrays.copyOf(stored(Compression.GZIP, new byte[] {1}), 5);
    assertThrows(IOException.class, () -> StoredInput.ahead(new ByteArrayInputStream(cut)));
    assertNoThreadIsLeft();
  }
}
