package org.allocsim.workloads.io;

import java.io.IOException;
import java.io.InputStream;

/**
 * A file's plain bytes, whatever it is compressed with, and on the way its digest as stored.
 *
 * <p>Unpacking is stopped with an {@link ExpansionLimitException} where more than {@value
 * #MAX_EXPANSION} bytes come out of each stored byte, the first {@value #FREE_BYTES} bytes aside.
 * Recordings of PyTorch expand 6 to 26 times; gzip reaches at most about 1,030.
 */
public abstract sealed class StoredInput implements AutoCloseable
    permits UnpackedInput, ReadAheadInput {
  /** Maximum bytes that may come out of one compressed byte. */
  public static final long MAX_EXPANSION = 1_000;

  /** Bytes that may come out whatever went in. */
  public static final long FREE_BYTES = 16L << 20;

  StoredInput() {}

  /**
   * Looks at the first bytes; the others are unpacked when they are asked for.
   *
   * @throws IOException if the stream cannot be read or its compressed header is damaged
   */
  public static StoredInput of(InputStream stored) throws IOException {
    return new UnpackedInput(stored);
  }

  /**
   * Looks at the first bytes; another thread reads, digests and unpacks the file in advance of the
   * reader, by a few pieces at most, until the input is closed.
   *
   * @throws IOException if the stream cannot be read or its compressed header is damaged
   */
  public static StoredInput ahead(InputStream stored) throws IOException {
    return new ReadAheadInput(new UnpackedInput(stored));
  }

  /** How the file is compressed. */
  public abstract Compression compression();

  /** Bytes of the file as stored that the bytes read so far came from, at least. */
  public abstract long storedBytes();

  /**
   * Reads plain bytes.
   *
   * @return number of bytes read, at least 1, or −1 at the end
   * @throws ExpansionLimitException where the file unpacks to more than it should
   * @throws IOException where it cannot be read, or cannot be unpacked
   */
  public abstract int read(byte[] target, int offset, int length) throws IOException;

  /** The plain bytes for who reads a stream; to close that leaves this input open. */
  public InputStream asStream() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return StoredInput.this.read(target, offset, length);
      }
    };
  }

  /**
   * Reads the rest of the file as stored and returns the SHA-256 of the whole, in hexadecimal. No
   * bytes can be read afterwards.
   */
  public abstract String finishDigest() throws IOException;

  /** Ends reading, and closes the file. */
  @Override
  public abstract void close() throws IOException;
}
