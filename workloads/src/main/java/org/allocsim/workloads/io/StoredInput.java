package org.allocsim.workloads.io;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A file's plain bytes, whatever it is compressed with, and on the way its digest as stored.
 *
 * <p>Unpacking is stopped with an {@link ExpansionLimitException} where more than {@value
 * #MOST_EXPANSION} bytes come out of each stored byte, the first {@value #FREE_BYTES} bytes aside.
 * Recordings of PyTorch expand 6 to 26 times; gzip reaches at most about 1,030.
 */
public final class StoredInput implements AutoCloseable {
  /** Most bytes that may come out of one compressed byte. */
  public static final long MOST_EXPANSION = 1_000;

  /** Bytes that may come out whatever went in. */
  public static final long FREE_BYTES = 16L << 20;

  private final Raw raw;
  private final Compression compression;
  private final InputStream plain;
  private long plainBytes;

  /**
   * Looks at the first bytes and starts unpacking.
   *
   * @throws IOException if the stream cannot be read or its compressed header is damaged
   */
  public StoredInput(InputStream stored) throws IOException {
    raw = new Raw(stored);
    compression = Compression.of(raw.start, raw.startLength);
    plain = compression.decode(raw);
  }

  /** How the file is compressed. */
  public Compression compression() {
    return compression;
  }

  /** Bytes taken from the file so far, as stored. */
  public long storedBytes() {
    return raw.count;
  }

  /**
   * Reads plain bytes.
   *
   * @return number of bytes read, at least 1, or −1 at the end
   */
  public int read(byte[] target, int offset, int length) throws IOException {
    int got = plain.read(target, offset, length);
    if (got > 0) {
      plainBytes += got;
      if (compression != Compression.NONE
          && plainBytes > FREE_BYTES
          && plainBytes / MOST_EXPANSION > raw.count) {
        throw new ExpansionLimitException(plainBytes, raw.count);
      }
    }
    return got;
  }

  /** Reads the rest of the file as stored and returns the SHA-256 of the whole, in hexadecimal. */
  public String finishDigest() throws IOException {
    byte[] rest = new byte[1 << 16];
    while (raw.read(rest, 0, rest.length) >= 0) {
      // The digest sees what is read.
    }
    return HexFormat.of().formatHex(raw.digest.digest());
  }

  @Override
  public void close() throws IOException {
    plain.close();
  }

  /** The file as stored: counts, digests, and gives its first bytes back once more. */
  private static final class Raw extends InputStream {
    private final InputStream stored;
    private final MessageDigest digest;
    private final byte[] start = new byte[Compression.SIGNATURE_BYTES];
    private final int startLength;
    private int startTaken;
    private long count;

    Raw(InputStream stored) throws IOException {
      this.stored = stored;
      try {
        digest = MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
      startLength = stored.readNBytes(start, 0, start.length);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int got;
      if (startTaken < startLength) {
        got = Math.min(length, startLength - startTaken);
        System.arraycopy(start, startTaken, target, offset, got);
        startTaken += got;
      } else {
        got = stored.read(target, offset, length);
      }
      if (got > 0) {
        count += got;
        digest.update(target, offset, got);
      }
      return got;
    }

    /** GZIPInputStream looks for another member only where bytes are said to be available. */
    @Override
    public int available() throws IOException {
      return startTaken < startLength ? startLength - startTaken : stored.available();
    }

    @Override
    public void close() throws IOException {
      stored.close();
    }
  }
}
