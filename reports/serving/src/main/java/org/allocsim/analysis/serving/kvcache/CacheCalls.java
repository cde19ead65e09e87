package org.allocsim.analysis.serving.kvcache;

/**
 * Hears what a cache asks of the driver. One call stands for as many handles as it names ranges: in
 * each of them a handle is mapped, or unmapped, at the same offset. {@link CacheLayout} says where
 * the ranges come from.
 */
public interface CacheCalls {
  /** Nobody listens. */
  CacheCalls NONE =
      new CacheCalls() {
        @Override
        public void map(int firstRange, int ranges, long offsetBytes) {}

        @Override
        public void unmap(int firstRange, int ranges, long offsetBytes) {}
      };

  /** A handle is mapped at an offset of each of some ranges. */
  void map(int firstRange, int ranges, long offsetBytes);

  /** What is mapped there is unmapped. */
  void unmap(int firstRange, int ranges, long offsetBytes);
}
