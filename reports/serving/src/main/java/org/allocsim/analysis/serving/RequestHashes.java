package org.allocsim.analysis.serving;

import org.allocsim.analysis.serving.kvcache.PrefixHashes;
import org.allocsim.analysis.serving.traffic.Traffic;

/**
 * What a request's tokens are, as far as the file says: prompts that begin with blocks of the same
 * numbers begin with the same tokens. Everything else is a request's own, its answer too.
 */
final class RequestHashes implements PrefixHashes {
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** Keeps requests apart from numbers of blocks, which are below 2^31. */
  private static final long OWN = 1L << 40;

  private final Traffic traffic;
  private final int blockTokens;
  private int request;

  RequestHashes(Traffic traffic, int blockTokens) {
    this.traffic = traffic;
    this.blockTokens = blockTokens;
  }

  void set(int number) {
    request = number;
  }

  @Override
  public long hash(int block) {
    int end = (block + 1) * blockTokens;
    int number = number(end);
    return mix(number >= 0 ? number : OWN + request, end);
  }

  @Override
  public boolean isOwn(int block) {
    return number((block + 1) * blockTokens) < 0;
  }

  /** The number of the file's block that has the token before an end; negative for none. */
  private int number(int end) {
    return traffic.blockTokens() > 0 && end <= traffic.promptTokens(request)
        ? traffic.block(request, (end - 1) / traffic.blockTokens())
        : -1;
  }

  /** Spreads numbers over all of 64 bits. */
  static long mix(long number, int end) {
    long mixed = number * SPREAD + end;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
