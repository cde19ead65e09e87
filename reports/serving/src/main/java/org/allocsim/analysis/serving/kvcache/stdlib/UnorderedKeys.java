package org.allocsim.analysis.serving.kvcache.stdlib;

import java.util.Arrays;

/**
 * Numbers in the order in which GCC's {@code std::unordered_map} iterates over them as keys.
 *
 * <p><b>Rules.</b> All nodes are one list; a bucket knows the node before its first. A node whose
 * bucket is empty becomes the first of the list, any other the first of its bucket. A number is its
 * own hash. Where there are more nodes than buckets, their number grows to the first of a list of
 * primes that is at least twice as many, and the nodes are dealt out anew in the order of the list.
 *
 * <p><b>Source.</b> The behaviour of libstdc++ 14, as programs show it.
 */
public final class UnorderedKeys {
  private static final int NONE = -1;

  /** The node before the first one. */
  private static final int BEGIN = -2;

  /** Numbers of buckets that there are. */
  private static final int[] PRIMES = {
    2,
    3,
    5,
    7,
    11,
    13,
    17,
    19,
    23,
    29,
    31,
    37,
    41,
    43,
    47,
    53,
    59,
    61,
    67,
    71,
    73,
    79,
    83,
    89,
    97,
    103,
    109,
    113,
    127,
    137,
    139,
    149,
    157,
    167,
    179,
    193,
    199,
    211,
    227,
    241,
    257,
    277,
    293,
    313,
    337,
    359,
    383,
    409,
    439,
    467,
    503,
    541,
    577,
    619,
    661,
    709,
    761,
    823,
    887,
    953,
    1031,
    1109,
    1193,
    1289,
    1381,
    1493,
    1613,
    1741,
    1879,
    2029,
    2179,
    2357,
    2549,
    2753,
    2971,
    3209,
    3469,
    3739,
    4027,
    4349,
    4703,
    5087,
    5503,
    5953,
    6427,
    6949,
    7517,
    8123,
    8783,
    9497,
    10_273,
    11_113,
    12_011,
    12_983,
    14_033,
    15_173,
    16_411,
    17_749,
    19_183,
    20_753,
    22_447,
    24_281,
    26_267,
    28_411,
    30_727,
    33_223,
    35_933,
    38_873,
    42_043,
    45_481,
    49_201,
    53_201,
    57_557,
    62_233,
    67_307,
    72_817,
    78_779,
    85_229,
    92_203,
    99_733,
    107_897,
    116_731,
    126_271,
    136_607,
    147_793,
    159_871,
    172_933,
    187_091,
    202_409,
    218_971,
    236_897,
    256_279,
    277_261,
    299_951,
    324_503,
    351_061,
    379_787,
    410_857,
    444_487,
    480_881,
    520_241,
    562_841,
    608_903,
    658_753,
    712_697,
    771_049,
    834_181,
    902_483,
    976_369,
    1_056_323,
    1_142_821,
    1_236_397,
    1_337_629,
    1_447_153,
    1_565_659,
    1_693_859,
    1_832_561,
    1_982_627,
    2_144_977,
    2_320_627,
    2_510_653,
    2_716_249,
    2_938_679,
    3_179_303,
    3_439_651,
    3_721_303,
    4_026_031,
    4_355_707,
    4_712_381,
    5_098_259,
    5_515_729,
    5_967_347,
    6_456_007,
    6_984_629,
    7_556_579,
    8_175_383,
    8_844_859,
    9_569_143,
    10_352_717,
    11_200_489,
    12_117_689,
    13_109_983,
    14_183_539,
    15_345_007,
    16_601_593,
    17_961_079,
    19_431_899,
    21_023_161,
    22_744_717,
    24_607_243,
    26_622_317,
    28_802_401,
    31_160_981,
    33_712_729,
    36_473_443,
    39_460_231,
    42_691_603,
    46_187_573,
    49_969_847,
    54_061_849,
    58_488_943,
    63_278_561,
    68_460_391,
    74_066_549,
    80_131_819,
    86_693_767,
    93_793_069,
    101_473_717,
    109_783_337,
    118_773_397,
    128_499_677
  };

  private int[] keys = new int[16];
  private int[] next = new int[16];
  private int[] buckets = new int[16];
  private int first;
  private int count;
  private int bucketCount;

  /** Without numbers, with room for some. */
  public void clear(int expected) {
    count = 0;
    first = NONE;
    resize(buckets(Math.max(1, expected)));
  }

  /** How many numbers there are. */
  public int count() {
    return count;
  }

  /** The smallest number of buckets that is at least so large. */
  private static int buckets(int least) {
    int found = Arrays.binarySearch(PRIMES, least);
    return PRIMES[Math.min(PRIMES.length - 1, found < 0 ? -found - 1 : found)];
  }

  private void resize(int size) {
    bucketCount = size;
    if (size > buckets.length) {
      buckets = new int[size];
    }
    Arrays.fill(buckets, 0, size, NONE);
  }

  /** Where a number is, in the order in which it was added; adds it if it is not there. */
  public int place(int key) {
    int bucket = key % bucketCount;
    int before = buckets[bucket];
    if (before != NONE) {
      for (int node = after(before); node != NONE; node = next[node]) {
        if (keys[node] == key) {
          return node;
        }
        if (keys[node] % bucketCount != bucket) {
          break;
        }
      }
    }
    if (count == bucketCount) {
      grow(buckets(Math.max(count + 2, 2 * bucketCount)));
    }
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      next = Arrays.copyOf(next, 2 * count);
    }
    keys[count] = key;
    insert(count);
    return count++;
  }

  private int after(int node) {
    return node == BEGIN ? first : next[node];
  }

  /** A node becomes the first of its bucket. */
  private void insert(int node) {
    int bucket = keys[node] % bucketCount;
    int before = buckets[bucket];
    if (before == NONE) {
      next[node] = first;
      first = node;
      if (next[node] != NONE) {
        buckets[keys[next[node]] % bucketCount] = node;
      }
      buckets[bucket] = BEGIN;
    } else if (before == BEGIN) {
      next[node] = first;
      first = node;
    } else {
      next[node] = next[before];
      next[before] = node;
    }
  }

  private void grow(int size) {
    int node = first;
    resize(size);
    first = NONE;
    while (node != NONE) {
      int following = next[node];
      insert(node);
      node = following;
    }
  }

  /** Writes where the numbers are ({@link #place}), in the order of the iteration. */
  public void places(int[] into) {
    int done = 0;
    for (int node = first; node != NONE; node = next[node]) {
      into[done++] = node;
    }
  }

  /** The number at a place. */
  public int key(int place) {
    return keys[place];
  }
}
