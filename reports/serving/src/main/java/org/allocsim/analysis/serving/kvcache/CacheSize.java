package org.allocsim.analysis.serving.kvcache;

/** How many pages a cache has. */
final class CacheSize {
  private static final int MOST = 1 << 26;

  private CacheSize() {}

  /**
   * Whole pages in a capacity.
   *
   * @throws IllegalArgumentException where there are too few to begin with, or too many
   */
  static int pages(long capacityBytes, long pageBytes, int least, String noun) {
    long count = capacityBytes / pageBytes;
    if (count < least || count > MOST) {
      throw new IllegalArgumentException(
          "%d bytes are %d %s of %d bytes; a cache must have %d to %d"
              .formatted(capacityBytes, count, noun, pageBytes, least, MOST));
    }
    return (int) count;
  }
}
