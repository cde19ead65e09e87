package org.allocsim.reports.published;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.jspecify.annotations.Nullable;

/**
 * A server of a language model under more requests than it can serve together: the next request
 * begins as soon as there is memory for it, first come first served; at each step every running
 * sequence gets one token. What it is granted becomes a trace, so the same policy grants it again.
 *
 * <p>A sequence of {@link KvReservation#PAGED} is a private pool of the trace: a request for its
 * prompt, one for each further token, all freed at its end, the last first. When there is no memory
 * for a token the sequence that began last is thrown out and begins again later, its tokens so far
 * then part of its prompt (vLLM's recomputation). With the other reservations a sequence is one
 * request, placed by a buddy system.
 */
public final class ServingProgram {
  private final KvReservation reservation;
  private final TokenLengths lengths;
  private final int slots;
  private final long tokenBytes;
  private final @Nullable AllocatorPolicy cache;
  private final BuddySlots buddies;
  private final SplittableRandom random;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final Deque<Sequence> waiting = new ArrayDeque<>();
  private final List<Sequence> running = new ArrayList<>();
  private final Deque<Integer> freeNumbers = new ArrayDeque<>();
  private int numbers;
  private int allocations;
  private int preemptions;

  private static final class Sequence {
    int promptTokens;
    int outputTokens;

    /** Output tokens so far. */
    int generated;

    /** Tokens whose keys and values are stored. */
    int stored;

    int number;
    int firstSlot;
    int slots;
    int[] allocations = new int[16];
    int allocationCount;

    int length() {
      return promptTokens + outputTokens;
    }
  }

  /**
   * A server with paged memory.
   *
   * @param cache serves the requests; it holds nothing yet
   * @param slots tokens that the cache holds, of which shares are reported
   */
  public ServingProgram(
      TokenLengths lengths, AllocatorPolicy cache, int slots, long tokenBytes, long seed) {
    this(KvReservation.PAGED, lengths, cache, slots, tokenBytes, seed);
  }

  /** A server that sets contiguous memory aside. */
  public ServingProgram(
      KvReservation reservation, TokenLengths lengths, int slots, long tokenBytes, long seed) {
    this(reservation, lengths, null, slots, tokenBytes, seed);
    if (reservation == KvReservation.PAGED) {
      throw new IllegalArgumentException("paged memory needs a cache");
    }
  }

  private ServingProgram(
      KvReservation reservation,
      TokenLengths lengths,
      @Nullable AllocatorPolicy cache,
      int slots,
      long tokenBytes,
      long seed) {
    this.reservation = reservation;
    this.lengths = lengths;
    this.cache = cache;
    this.slots = slots;
    this.tokenBytes = tokenBytes;
    buddies = new BuddySlots(slots);
    random = new SplittableRandom(seed);
  }

  /**
   * Serves for a number of steps and ends.
   *
   * @param warmUpSteps steps before those that are averaged
   * @param steps steps that are averaged
   */
  public KvUse run(int warmUpSteps, int steps) {
    long tokens = 0;
    long future = 0;
    long internal = 0;
    long sequences = 0;
    for (int step = 0; step < warmUpSteps + steps; step++) {
      trace.at(0, step * 1_000_000L, 0);
      admit();
      if (step >= warmUpSteps) {
        for (Sequence sequence : running) {
          tokens += sequence.stored;
          future +=
              Math.min(sequence.slots, sequence.length())
                  - Math.min(sequence.slots, sequence.stored);
          internal += Math.max(0, sequence.slots - sequence.length());
        }
        sequences += running.size();
      }
      generate();
    }
    while (!running.isEmpty()) {
      end(running.removeLast());
    }
    double all = (double) steps * slots;
    return new KvUse(
        tokens / all,
        future / all,
        internal / all,
        (all - tokens - future - internal) / all,
        (double) sequences / steps,
        preemptions,
        steps,
        trace.build(new StackTable.Builder().build()));
  }

  private void admit() {
    while (true) {
      if (waiting.isEmpty()) {
        Sequence next = new Sequence();
        next.promptTokens = lengths.promptTokens(random);
        next.outputTokens = lengths.outputTokens(random, next.promptTokens);
        waiting.add(next);
      }
      if (!begin(waiting.getFirst())) {
        return;
      }
      running.add(waiting.removeFirst());
    }
  }

  private boolean begin(Sequence sequence) {
    int prompt = sequence.promptTokens + sequence.generated;
    if (reservation != KvReservation.PAGED) {
      int wanted =
          reservation.slots(sequence.promptTokens, sequence.outputTokens, lengths.maxTokens());
      sequence.firstSlot = buddies.take(wanted);
      if (sequence.firstSlot == BuddySlots.NONE) {
        return false;
      }
      sequence.slots = wanted;
      remember(sequence, trace.allocate(wanted * tokenBytes, 0, PoolId.DEFAULT));
    } else {
      sequence.number = freeNumbers.isEmpty() ? ++numbers : freeNumbers.pop();
      if (!append(sequence, prompt)) {
        freeNumbers.push(sequence.number);
        return false;
      }
    }
    sequence.stored = prompt;
    return true;
  }

  /** Stores tokens of a paged sequence; answers whether there was memory. */
  private boolean append(Sequence sequence, int count) {
    PoolId pool = new PoolId(0, sequence.number);
    int number = trace.declarePool(pool);
    if (Objects.requireNonNull(cache).allocate(allocations, count * tokenBytes, 0, number)
        == AllocatorPolicy.OUT_OF_MEMORY) {
      return false;
    }
    remember(sequence, trace.allocate(count * tokenBytes, 0, pool));
    allocations++;
    return true;
  }

  private static void remember(Sequence sequence, int allocation) {
    if (sequence.allocationCount == sequence.allocations.length) {
      sequence.allocations = Arrays.copyOf(sequence.allocations, sequence.allocationCount * 2);
    }
    sequence.allocations[sequence.allocationCount++] = allocation;
  }

  private void generate() {
    for (int i = 0; i < running.size(); i++) {
      Sequence sequence = running.get(i);
      if (++sequence.generated == sequence.outputTokens) {
        end(sequence);
        running.remove(i--);
        continue;
      }
      while (reservation == KvReservation.PAGED && !append(sequence, 1)) {
        Sequence last = running.removeLast();
        end(last);
        waiting.addFirst(last);
        preemptions++;
        if (last == sequence) {
          break;
        }
      }
      sequence.stored++;
    }
  }

  private void end(Sequence sequence) {
    while (sequence.allocationCount > 0) {
      int allocation = sequence.allocations[--sequence.allocationCount];
      trace.free(allocation);
      if (cache != null) {
        cache.free(allocation);
      }
    }
    if (cache == null) {
      buddies.release(sequence.firstSlot, sequence.slots);
    } else {
      freeNumbers.push(sequence.number);
    }
    sequence.slots = 0;
  }
}
