package org.allocsim.web.standin.com.github.luben.zstd;

import java.io.IOException;
import java.io.InputStream;
import org.allocsim.web.Host;
import org.allocsim.web.Host.Decoder;
import org.teavm.jso.typedarrays.Int8Array;

/** Zstandard by a decoder in JavaScript, a piece at a time. */
public final class ZstdInputStream extends InputStream {
  private static final int PIECE_BYTES = 1 << 18;

  private final InputStream stored;
  private final Decoder decoder = Host.zstandard();
  private final byte[] piece = new byte[PIECE_BYTES];
  private byte[] plain = new byte[0];
  private int taken;
  private boolean atEnd;

  /** Decodes a stream. */
  public ZstdInputStream(InputStream stored) {
    this.stored = stored;
  }

  /** The decoder has a limit of its own. */
  public ZstdInputStream setLongMax(int windowLog) {
    return this;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (taken == plain.length) {
      if (atEnd) {
        return -1;
      }
      next();
    }
    int got = Math.min(length, plain.length - taken);
    System.arraycopy(plain, taken, target, offset, got);
    taken += got;
    return got;
  }

  private void next() throws IOException {
    int got = stored.read(piece, 0, piece.length);
    atEnd = got < 0;
    Int8Array decoded = decoder.push(Int8Array.copyFromJavaArray(piece), Math.max(got, 0), atEnd);
    if (decoded == null) {
      throw new IOException(decoder.failure());
    }
    plain = decoded.copyToJavaArray();
    taken = 0;
  }

  @Override
  public void close() throws IOException {
    stored.close();
  }
}
