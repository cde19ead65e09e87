package org.allocsim.workloads.io;

import java.io.IOException;
import java.io.InputStream;

/** Unpacks a file when its bytes are asked for. */
final class UnpackedInput extends StoredInput {
  private final Raw raw;
  private final Compression compression;
  private final InputStream plain;
  private long plainBytes;

  UnpackedInput(InputStream stored) throws IOException {
    raw = new Raw(stored);
    compression = Compression.of(raw.start, raw.startLength);
    plain = compression.decode(raw);
  }

  @Override
  public Compression compression() {
    return compression;
  }

  @Override
  public long storedBytes() {
    return raw.count;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int got = plain.read(target, offset, length);
    if (got > 0) {
      plainBytes += got;
      if (compression != Compression.NONE
          && plainBytes > FREE_BYTES
          && plainBytes / MAX_EXPANSION > raw.count) {
        throw new ExpansionLimitException(plainBytes, raw.count);
      }
    }
    return got;
  }

  @Override
  public String finishDigest() throws IOException {
    byte[] rest = new byte[1 << 16];
    while (raw.read(rest, 0, rest.length) >= 0) {
      // The digest sees what is read.
    }
    return raw.digest.hexadecimal();
  }

  @Override
  public void close() throws IOException {
    plain.close();
  }

  /** The file as stored: counts, digests, and gives its first bytes back once more. */
  private static final class Raw extends InputStream {
    private final InputStream stored;
    private final FileDigest digest = new FileDigest();
    private final byte[] start = new byte[Compression.SIGNATURE_BYTES];
    private final int startLength;
    private int startTaken;
    private long count;

    Raw(InputStream stored) throws IOException {
      this.stored = stored;
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
