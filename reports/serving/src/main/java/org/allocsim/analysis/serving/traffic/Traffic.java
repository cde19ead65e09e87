package org.allocsim.analysis.serving.traffic;

import java.util.Arrays;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.TraceFormatException;

/**
 * Requests to a server of a language model in the order in which they came, as columns: a million
 * take some 30 MB. Where the file says which parts of prompts are alike, each request has the
 * numbers of its prompt's blocks; equal numbers mean equal tokens from the prompt's start on.
 */
public final class Traffic {
  /** Maximum tokens of a prompt or an answer. */
  public static final int MOST_TOKENS = 1 << 24;

  /** Longest time that a file may span: a hundred years of nanoseconds. */
  static final long MOST_NANOS = 100L * 365 * 24 * 3600 * 1_000_000_000L;

  private static final int ROW_BYTES = 2 * (Long.BYTES + 3 * Integer.BYTES);

  private final String format;
  private final int blockTokens;
  private final int count;
  private final int unanswered;
  private final long[] arrivalNanos;
  private final int[] promptTokens;
  private final int[] outputTokens;

  /** Where each request's blocks begin in {@link #blocks}, and where the last one's end. */
  private final int[] blockStart;

  private final int[] blocks;

  private Traffic(Builder rows) {
    format = rows.format;
    blockTokens = rows.blockTokens;
    count = rows.count;
    unanswered = rows.unanswered;
    arrivalNanos = Arrays.copyOf(rows.arrivalNanos, count);
    promptTokens = Arrays.copyOf(rows.promptTokens, count);
    outputTokens = Arrays.copyOf(rows.outputTokens, count);
    blockStart = blockTokens == 0 ? new int[0] : Arrays.copyOf(rows.blockStart, count + 1);
    blocks = Arrays.copyOf(rows.blocks, rows.blockCount);
  }

  /** The format of the file that they come from. */
  public String format() {
    return format;
  }

  /** Number of requests. */
  public int count() {
    return count;
  }

  /** Requests of the file that had no prompt or no answer and are left out. */
  public int unanswered() {
    return unanswered;
  }

  /** When a request came, in nanoseconds after the first one; never before its predecessor. */
  public long arrivalNanos(int request) {
    return arrivalNanos[request];
  }

  /** Tokens of a request's prompt, at least 1. */
  public int promptTokens(int request) {
    return promptTokens[request];
  }

  /** Tokens of the answer to a request, at least 1. */
  public int outputTokens(int request) {
    return outputTokens[request];
  }

  /** Tokens of a numbered block of a prompt; 0 where the file numbers none. */
  public int blockTokens() {
    return blockTokens;
  }

  /** The number of a block of a request's prompt, −1 where the file does not number it. */
  public int block(int request, int index) {
    int at = blockStart[request] + index;
    return at < blockStart[request + 1] ? blocks[at] : -1;
  }

  /** Time from the first to the last request. */
  public long spanNanos() {
    return count == 0 ? 0 : arrivalNanos[count - 1];
  }

  /** Collects requests. */
  public static final class Builder {
    private final String format;
    private final int blockTokens;
    private int count;
    private int unanswered;
    private long firstNanos;
    private long[] arrivalNanos = new long[1024];
    private int[] promptTokens = new int[1024];
    private int[] outputTokens = new int[1024];
    private int[] blockStart = new int[1024];
    private int[] blocks = new int[1024];
    private int blockCount;

    /**
     * No requests yet.
     *
     * @param format the format that they come from
     * @param blockTokens tokens of a numbered block of a prompt, 0 for none
     */
    public Builder(String format, int blockTokens) {
      this.format = format;
      this.blockTokens = blockTokens;
    }

    /**
     * Adds a request; one without prompt or answer is only counted.
     *
     * @param nanos when it came, on the file's clock
     * @throws IllegalArgumentException where it came before its predecessor
     */
    public void add(long nanos, int prompt, int output) {
      if (count + unanswered == 0) {
        firstNanos = nanos;
      }
      long arrival = nanos - firstNanos;
      if (arrival < (count == 0 ? 0 : arrivalNanos[count - 1])) {
        throw new IllegalArgumentException("requests must not go back in time");
      }
      if (prompt == 0 || output == 0) {
        unanswered++;
        return;
      }
      if (count + 1 == arrivalNanos.length) {
        int length = Math.multiplyExact(count + 1, 2);
        arrivalNanos = Arrays.copyOf(arrivalNanos, length);
        promptTokens = Arrays.copyOf(promptTokens, length);
        outputTokens = Arrays.copyOf(outputTokens, length);
        blockStart = Arrays.copyOf(blockStart, length);
      }
      arrivalNanos[count] = arrival;
      promptTokens[count] = prompt;
      outputTokens[count] = output;
      blockStart[++count] = blockCount;
    }

    /** Adds the number of the next block of the prompt of the request that was added last. */
    public void addBlock(int number) {
      if (blockCount == blocks.length) {
        blocks = Arrays.copyOf(blocks, Math.multiplyExact(blockCount, 2));
      }
      blocks[blockCount++] = number;
      blockStart[count] = blockCount;
    }

    /** Adds a request of a line of a file, which holds no more than its memory allows. */
    boolean add(LineInput lines, long nanos, long prompt, long output) throws TraceFormatException {
      if (prompt > MOST_TOKENS || output > MOST_TOKENS) {
        throw lines.failure(
            "a request has " + Math.max(prompt, output) + " tokens, more than " + MOST_TOKENS,
            "correct the line or remove it");
      }
      if (count + unanswered > 0 && nanos - firstNanos > MOST_NANOS) {
        throw lines.failure(
            "the request comes more than a hundred years after the first one",
            "correct the time or remove the line");
      }
      int before = count;
      try {
        add(nanos, (int) prompt, (int) output);
      } catch (IllegalArgumentException _) {
        throw lines.failure(
            "the request is earlier than the previous line's", "sort the file by time");
      }
      lines.hold(ROW_BYTES);
      return count > before;
    }

    /** The requests. */
    public Traffic build() {
      return new Traffic(this);
    }
  }

  /**
   * The same requests several times, each time after the last one of the time before and the mean
   * time between two. Prompts of one time have nothing in common with those of another.
   *
   * @throws IllegalArgumentException where there would be more than 2^28, they would span more than
   *     a hundred years, or numbers of blocks would be above 2^31
   */
  public Traffic repeated(int times) {
    if ((long) count * times > 1 << 28) {
      throw new IllegalArgumentException("more than " + (1 << 28) + " requests");
    }
    long periodNanos = spanNanos() + (count > 1 ? spanNanos() / (count - 1) : 0);
    requireSpan((double) periodNanos * (times - 1) + spanNanos());
    long numbers = 1L + Arrays.stream(blocks).max().orElse(0);
    if (numbers * times > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("numbers of blocks above " + Integer.MAX_VALUE);
    }
    Builder rows = new Builder(format, blockTokens);
    rows.unanswered = unanswered * times;
    for (int time = 0; time < times; time++) {
      for (int request = 0; request < count; request++) {
        rows.add(
            time * periodNanos + arrivalNanos[request],
            promptTokens[request],
            outputTokens[request]);
        for (int i = 0; blockTokens > 0 && block(request, i) >= 0; i++) {
          rows.addBlock((int) (block(request, i) + time * numbers));
        }
      }
    }
    return rows.build();
  }

  private static void requireSpan(double nanos) {
    if (nanos > MOST_NANOS) {
      throw new IllegalArgumentException("requests that span more than a hundred years");
    }
  }

  /** The first requests. */
  public Traffic first(int number) {
    Builder rows = new Builder(format, blockTokens);
    rows.unanswered = unanswered;
    for (int request = 0; request < Math.min(number, count); request++) {
      rows.add(arrivalNanos[request], promptTokens[request], outputTokens[request]);
      for (int i = 0; blockTokens > 0 && block(request, i) >= 0; i++) {
        rows.addBlock(block(request, i));
      }
    }
    return rows.build();
  }

  /**
   * The same requests at another rate.
   *
   * @param factor how many times as many come in the same time, above 0
   * @throws IllegalArgumentException where they would span more than a hundred years
   */
  public Traffic faster(double factor) {
    requireSpan(spanNanos() / factor);
    Builder rows = new Builder(format, blockTokens);
    rows.unanswered = unanswered;
    rows.count = count;
    rows.arrivalNanos = new long[count];
    for (int request = 0; request < count; request++) {
      rows.arrivalNanos[request] = (long) (arrivalNanos[request] / factor);
    }
    rows.promptTokens = promptTokens;
    rows.outputTokens = outputTokens;
    rows.blockStart = blockStart;
    rows.blocks = blocks;
    rows.blockCount = blocks.length;
    return rows.build();
  }
}
