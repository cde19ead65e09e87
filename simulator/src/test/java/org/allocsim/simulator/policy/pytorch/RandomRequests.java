package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;

/**
 * A seeded endless sequence of requests as a program could make them: sizes by profile, several
 * streams, uses on other streams that finish later, private pools that are released, and what
 * programs do wrong (size 0, absurd sizes, frees of failed requests). Some live allocations are
 * freed when a request fails, as programs do.
 */
final class RandomRequests {
  private static final long MIB = 1L << 20;

  /** How sizes are drawn. */
  enum Profile {
    /** A few bytes around multiples of sizes where rules change. */
    BOUNDARY,
    /** Up to 1.1 MiB. */
    SMALL,
    /** 1 MiB to 360 MiB. */
    LARGE,
    /** 64 bytes to 128 MiB. */
    MIXED
  }

  /**
   * One request; columns that its kind does not use are 0.
   *
   * @param value bytes of an ALLOCATE, completion rank of a USE_STREAM
   */
  record Request(RequestKind kind, int allocation, long value, int stream, int pool) {
    /** Sends the request; returns the address of an ALLOCATE, else 0. */
    long sendTo(AllocatorPolicy policy) {
      switch (kind) {
        case ALLOCATE -> {
          return policy.allocate(allocation, value, stream, pool);
        }
        case FREE -> policy.free(allocation);
        case USE_STREAM -> policy.useStream(allocation, stream, value);
        case USE_COMPLETE -> policy.useComplete(allocation, stream);
        case SYNCHRONIZE -> policy.synchronize();
        case EMPTY_CACHE -> policy.emptyCache();
        case RELEASE_POOL -> policy.releasePool(pool, PoolId.unnamed(pool));
        case EMPTY_POOL -> policy.emptyPool(pool);
        default -> throw new AssertionError(kind);
      }
      return 0;
    }
  }

  /** A list of numbers. */
  private static final class Ids {
    private int[] ids = new int[16];
    private int size;

    int size() {
      return size;
    }

    boolean isEmpty() {
      return size == 0;
    }

    int get(int index) {
      return ids[index];
    }

    void add(int id) {
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, 2 * size);
      }
      ids[size++] = id;
    }

    int indexOf(int id) {
      int index = size - 1;
      while (index >= 0 && ids[index] != id) {
        index--;
      }
      return index;
    }

    int removeAt(int index) {
      int id = ids[index];
      size--;
      System.arraycopy(ids, index + 1, ids, index, size - index);
      return id;
    }

    void removeId(int id) {
      removeAt(indexOf(id));
    }
  }

  private static final long[] BOUNDARIES = {
    512, 1024, 4096, MIB, 2 * MIB, 10 * MIB, 20 * MIB, 32 * MIB, 64 * MIB, 128 * MIB
  };
  private static final int[] FACTORS = {1, 1, 1, 2, 3};
  private static final int[] OFFSETS = {-513, -512, -1, 0, 1, 511, 512};

  private final SplittableRandom random;
  private final Profile profile;
  private final int streams;
  private final boolean privatePools;
  private final int targetLive;
  private final Ids live = new Ids();
  private final Ids failed = new Ids();
  private final Ids awaiting = new Ids();
  private final Ids openPools = new Ids();
  private final Ids releasedPools = new Ids();
  private final List<Request> next = new ArrayList<>();
  private int allocations;
  private int pools;

  RandomRequests(long seed, Profile profile, int streams, boolean privatePools) {
    random = new SplittableRandom(seed);
    this.profile = profile;
    this.streams = streams;
    this.privatePools = privatePools;
    targetLive = new int[] {20, 80, 300}[random.nextInt(3)];
  }

  /** The next request. */
  Request next() {
    if (!next.isEmpty()) {
      return next.removeFirst();
    }
    double choice = random.nextDouble();
    if (choice < 0.002) {
      return request(RequestKind.EMPTY_CACHE, 0, 0, 0);
    }
    if (choice < 0.005) {
      return request(RequestKind.SYNCHRONIZE, 0, 0, 0);
    }
    if (choice < 0.01 && privatePools) {
      return changePools();
    }
    if (choice < 0.05 && !awaiting.isEmpty()) {
      int allocation = awaiting.removeAt(random.nextInt(awaiting.size()));
      int stream = random.nextInt(3) > 0 ? AllocationTrace.ANY_STREAM : random.nextInt(streams);
      return request(RequestKind.USE_COMPLETE, allocation, 0, stream);
    }
    if (choice < 0.055 && !failed.isEmpty()) {
      return request(RequestKind.FREE, failed.removeAt(failed.size() - 1), 0, 0);
    }
    double allocate =
        live.size() < 2 * targetLive ? 0.5 + 0.4 * (1 - (double) live.size() / targetLive) : 0.1;
    if (live.isEmpty() || random.nextDouble() < allocate) {
      return allocate();
    }
    return free();
  }

  /** To be called when an ALLOCATE was not served: the program frees a third of what it holds. */
  void failed(Request request) {
    live.removeId(request.allocation());
    failed.add(request.allocation());
    for (int i = live.size() - 1; i >= 0; i -= 3) {
      next.add(request(RequestKind.FREE, live.removeAt(i), 0, 0));
    }
  }

  private Request allocate() {
    int allocation = allocations++;
    live.add(allocation);
    int pool = 0;
    if (!openPools.isEmpty() && random.nextInt(4) == 0) {
      pool = openPools.get(random.nextInt(openPools.size()));
    }
    return request(RequestKind.ALLOCATE, allocation, size(), random.nextInt(streams), pool);
  }

  private Request free() {
    int allocation = live.get(random.nextInt(live.size()));
    if (random.nextInt(100) < 12) {
      int uses = 1 + random.nextInt(3);
      for (int i = 0; i < uses; i++) {
        next.add(use(allocation));
      }
      if (awaiting.indexOf(allocation) < 0) {
        awaiting.add(allocation);
      }
    }
    if (next.isEmpty() || random.nextInt(4) > 0) {
      live.removeId(allocation);
      next.add(request(RequestKind.FREE, allocation, 0, 0));
    }
    return next.removeFirst();
  }

  private Request use(int allocation) {
    int stream =
        random.nextInt(10) == 0 ? AllocationTrace.UNKNOWN_STREAM : random.nextInt(streams + 1);
    return request(RequestKind.USE_STREAM, allocation, random.nextInt(20), stream);
  }

  private Request changePools() {
    int choice = random.nextInt(3);
    if (choice == 0 && !openPools.isEmpty()) {
      int pool = openPools.removeAt(random.nextInt(openPools.size()));
      releasedPools.add(pool);
      return new Request(RequestKind.RELEASE_POOL, 0, 0, 0, pool);
    }
    if (choice == 1 && !releasedPools.isEmpty()) {
      int pool = releasedPools.get(random.nextInt(releasedPools.size()));
      return new Request(RequestKind.EMPTY_POOL, 0, 0, 0, pool);
    }
    openPools.add(++pools);
    return request(RequestKind.EMPTY_CACHE, 0, 0, 0);
  }

  private long size() {
    int odd = random.nextInt(2000);
    if (odd == 0) {
      return 0;
    }
    if (odd == 1) {
      return (1L << 60) + random.nextInt(2) - 1;
    }
    return switch (profile) {
      case BOUNDARY ->
          Math.max(
              1,
              BOUNDARIES[random.nextInt(BOUNDARIES.length)]
                      * FACTORS[random.nextInt(FACTORS.length)]
                  + OFFSETS[random.nextInt(OFFSETS.length)]);
      case SMALL -> powerOfTwo(0, 20.2);
      case LARGE -> powerOfTwo(20, 28.5);
      case MIXED -> powerOfTwo(6, 27);
    };
  }

  private long powerOfTwo(double low, double high) {
    return (long) Math.pow(2, random.nextDouble(low, high));
  }

  private static Request request(RequestKind kind, int allocation, long value, int stream) {
    return request(kind, allocation, value, stream, 0);
  }

  private static Request request(
      RequestKind kind, int allocation, long value, int stream, int pool) {
    return new Request(kind, allocation, value, stream, pool);
  }
}
