package org.allocsim.simulator.policy.gmlake;

/**
 * What GMLake reads from its environment.
 *
 * @param stitches whether large memory is made of chunks and stitched ({@code vmmDefragment})
 * @param fragLimitBytes smallest request for which memory is stitched ({@code fragLimit})
 * @param reuseLimit how many times the request a reused stitched block may be ({@code reuseLimit})
 * @param defragLevel first of the attempts 0, 1 and 2 to stitch that is made ({@code defragLevel})
 * @param autoGcBytes bytes ever stitched from which stitched blocks are collected ({@code autoGC})
 * @param reallocates whether only what free memory lacks is asked of the device ({@code reAlloc})
 */
public record GmLakeSettings(
    boolean stitches,
    long fragLimitBytes,
    double reuseLimit,
    int defragLevel,
    long autoGcBytes,
    boolean reallocates) {
  /** The settings where the environment holds none (glake 0274a9c). */
  public static final GmLakeSettings DEFAULT =
      new GmLakeSettings(true, 512L << 20, 10, 0, 1000L << 30, false);
}
