package org.allocsim.workloads.format;

import java.io.IOException;
import java.io.InputStream;
import org.allocsim.workloads.io.MemoryBudget;
import org.allocsim.workloads.io.StoredInput;

/**
 * The plain bytes of a stored file as a stream, which tells its progress and bounds what is held.
 */
public final class PlainInput extends InputStream {
  private final StoredInput input;
  private final long size;
  private final Progress progress;
  private final MemoryBudget budget = new MemoryBudget();
  private long plainBytes;
  private long maxHeldBytes;

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

  /**
   * Further bytes of what was read are held in memory.
   *
   * @param name the file's name
   * @throws TraceFormatException where that is more than a file of this size may take
   */
  public void hold(String name, long bytes) throws TraceFormatException {
    budget.add(bytes);
    if (budget.heldBytes() > maxHeldBytes) {
      MemoryBudget.Excess excess = budget.excess(plainBytes, input.storedBytes(), size);
      if (excess != null) {
        throw new TraceFormatException(name, "", excess.cause(), excess.remedy());
      }
      maxHeldBytes = budget.maxBytes(plainBytes, input.storedBytes());
    }
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
