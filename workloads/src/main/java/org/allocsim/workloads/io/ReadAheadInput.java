package org.allocsim.workloads.io;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Another input, read on a thread of its own. Pieces of bytes go to the reader and come back empty;
 * there are few, so that the thread waits where the reader is slower. What ends the other input, an
 * error or the end, reaches the reader after the bytes before it.
 */
final class ReadAheadInput extends StoredInput {
  static final String THREAD_NAME = "allocsim-read-ahead";

  private static final int PIECE_BYTES = 1 << 18;
  private static final int MAX_PIECES = 4;

  /** How long to wait for a thread that reads from something that sends nothing, as a pipe may. */
  private static final long PATIENCE_MILLIS = 2_000;

  /** Some bytes, or what came instead. */
  private static final class Piece {
    final byte[] bytes = new byte[PIECE_BYTES];
    int length;

    /** Bytes that the file had given when these were there. */
    long storedBytes;

    /** What ended the input after these bytes; null where more follow or it just ended. */
    @Nullable Throwable failure;

    boolean isLast;
  }

  private final UnpackedInput source;
  private final BlockingQueue<Piece> full = new ArrayBlockingQueue<>(MAX_PIECES);
  private final BlockingQueue<Piece> empty = new ArrayBlockingQueue<>(MAX_PIECES);
  private final Thread thread = Thread.ofPlatform().daemon().name(THREAD_NAME).unstarted(this::run);

  /** No further bytes are wanted. */
  private volatile boolean stopped;

  /** Nor is the digest. */
  private volatile boolean closed;

  // The digest, or why there is none; written by the thread before it ends.
  private @Nullable String digest;
  private @Nullable Throwable digestFailure;

  // The reader's side.
  private @Nullable Piece piece;
  private int taken;
  private long storedBytes;

  ReadAheadInput(UnpackedInput source) {
    this.source = source;
    // The others are made when the reader turns out to be slower.
    empty.add(new Piece());
    thread.start();
  }

  private void run() {
    try {
      int made = 1;
      boolean more = true;
      while (more) {
        Piece next = empty.poll();
        if (next == null) {
          next = made++ < MAX_PIECES ? new Piece() : empty.take();
        }
        if (stopped) {
          break;
        }
        fill(next);
        more = !next.isLast;
        digestFailure = next.failure;
        full.put(next);
      }
      if (!closed && digestFailure == null) {
        digest = source.finishDigest();
      }
    } catch (InterruptedException e) {
      digestFailure = e;
    } catch (IOException | RuntimeException | Error e) {
      digestFailure = e;
    }
  }

  private void fill(Piece next) {
    next.length = 0;
    try {
      while (next.length < PIECE_BYTES && !stopped) {
        int got = source.read(next.bytes, next.length, PIECE_BYTES - next.length);
        if (got < 0) {
          next.isLast = true;
          break;
        }
        next.length += got;
      }
    } catch (IOException | RuntimeException | Error e) {
      next.failure = e;
      next.isLast = true;
    }
    next.storedBytes = source.storedBytes();
  }

  @Override
  public Compression compression() {
    return source.compression();
  }

  @Override
  public long storedBytes() {
    return storedBytes;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (piece == null || taken == piece.length) {
      if (piece != null && piece.isLast) {
        rethrow(piece.failure);
        return -1;
      }
      if (piece != null) {
        empty.add(piece);
      }
      piece = await();
      taken = 0;
    }
    int got = Math.min(length, piece.length - taken);
    System.arraycopy(piece.bytes, taken, target, offset, got);
    taken += got;
    storedBytes = piece.storedBytes;
    return got;
  }

  private Piece await() throws IOException {
    try {
      return full.take();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("reading was interrupted");
    }
  }

  private static void rethrow(@Nullable Throwable failure) throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IOException(failure);
    }
  }

  /** Lets the thread come to its end. */
  private void stop() {
    stopped = true;
    if (piece != null) {
      empty.offer(piece);
    }
    // The thread may wait for an empty piece while the reader holds none.
    full.drainTo(empty);
  }

  @Override
  public String finishDigest() throws IOException {
    stop();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("reading was interrupted");
    }
    storedBytes = source.storedBytes();
    rethrow(digestFailure);
    return Objects.requireNonNull(digest, "already read to its end");
  }

  @Override
  public void close() throws IOException {
    closed = true;
    stop();
    try {
      // Nobody else may use the decoder and the file until they are closed.
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      // It waits for a file that sends nothing, which ends when the file is closed.
      return;
    }
    source.close();
  }
}
