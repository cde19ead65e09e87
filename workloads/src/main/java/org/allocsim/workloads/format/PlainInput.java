package org.allocsim.workloads.format;

import java.io.IOException;
import java.io.InputStream;
import org.allocsim.workloads.io.StoredInput;

/** The plain bytes of a stored file as a stream, which tells its progress and counts. */
public final class PlainInput extends InputStream {
  private final StoredInput input;
  private final long size;
  private final Progress progress;
  private long plainBytes;

  /**
   * A stream.
   *
   * @param size bytes of the file as stored, −1 if that is unknown
   */
  public PlainInput(StoredInput input, long size, Progress progress) {
    this.input = input;
    this.size = size;
    this.progress = progress;
  }

  /** Bytes given out. */
  public long plainBytes() {
    return plainBytes;
  }

  /** Bytes of the file that were read. */
  public long storedBytes() {
    return input.storedBytes();
  }

  /** Bytes of the file as stored, −1 if that is unknown. */
  public long storedTotalBytes() {
    return size;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    progress.update(input.storedBytes(), size);
    int got = input.read(target, offset, length);
    plainBytes += Math.max(0, got);
    return got;
  }
}
