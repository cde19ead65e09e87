package org.allocsim.workloads.io.sqlite;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.io.MemoryBudget;
import org.allocsim.workloads.io.StoredInput;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a database at any place: those of the file, or, as a compressed file cannot be entered
 * in its middle, all of them unpacked in memory.
 */
final class Pages implements Closeable {
  private static final int PIECE_BYTES = 1 << 20;

  private final @Nullable FileChannel file;
  private final List<byte[]> unpacked;
  private final long bytes;
  private final MemoryBudget budget;
  private final String sha256;
  private final long storedBytes;

  private Pages(
      @Nullable FileChannel file,
      List<byte[]> unpacked,
      long bytes,
      MemoryBudget budget,
      String sha256,
      long storedBytes) {
    this.file = file;
    this.unpacked = unpacked;
    this.bytes = bytes;
    this.budget = budget;
    this.sha256 = sha256;
    this.storedBytes = storedBytes;
  }

  static Pages open(Path file) throws IOException {
    MemoryBudget budget = new MemoryBudget();
    try (InputStream stream = Files.newInputStream(file);
        StoredInput input = StoredInput.of(stream)) {
      if (input.compression() == Compression.NONE) {
        String sha256 = input.finishDigest();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new Pages(channel, List.of(), channel.size(), budget, sha256, channel.size());
      }
      List<byte[]> pieces = new ArrayList<>();
      long bytes = 0;
      int got;
      do {
        budget.add(PIECE_BYTES);
        refuseTooMuch(budget, bytes, input.storedBytes(), Files.size(file));
        byte[] piece = new byte[PIECE_BYTES];
        int filled = 0;
        while ((got = input.read(piece, filled, PIECE_BYTES - filled)) > 0) {
          filled += got;
          if (filled == PIECE_BYTES) {
            break;
          }
        }
        bytes += filled;
        pieces.add(piece);
      } while (got > 0);
      return new Pages(
          null, pieces, bytes, budget, input.finishDigest(), Math.max(1, input.storedBytes()));
    }
  }

  private static void refuseTooMuch(
      MemoryBudget budget, long plainBytes, long storedBytes, long storedTotalBytes)
      throws SqliteException {
    MemoryBudget.Excess excess = budget.excess(plainBytes, storedBytes, storedTotalBytes);
    if (excess != null) {
      throw new SqliteException(excess.cause());
    }
  }

  /** Reads bytes at a place; what lies after the end is not there. */
  void read(long position, byte[] target, int length) throws IOException {
    if (position < 0 || position > bytes - length) {
      throw new SqliteException(
          "the database has %d bytes and refers to those at %d".formatted(bytes, position));
    }
    if (file == null) {
      // Pages have a power of two of bytes, fewer than pieces have.
      byte[] piece = unpacked.get((int) (position / PIECE_BYTES));
      System.arraycopy(piece, (int) (position % PIECE_BYTES), target, 0, length);
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(target, 0, length);
    while (buffer.hasRemaining()) {
      if (file.read(buffer, position + buffer.position()) < 0) {
        throw new SqliteException("the database was truncated while it was read");
      }
    }
  }

  /** Bytes of the database. */
  long bytes() {
    return bytes;
  }

  /** SHA-256 of the file as stored, in hexadecimal. */
  String sha256() {
    return sha256;
  }

  /** Further bytes are held of what was read. */
  void hold(long held) throws SqliteException {
    budget.add(held);
    refuseTooMuch(budget, bytes, storedBytes, storedBytes);
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
