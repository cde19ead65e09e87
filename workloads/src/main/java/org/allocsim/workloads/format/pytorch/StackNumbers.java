package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;

/**
 * Numbers frames and stacks while a file is read. Writers repeat equal stacks for every entry; this
 * finds the number of one already seen without making an object for it.
 */
final class StackNumbers {
  /** Bytes of a frame here and in the table. */
  private static final int FRAME_BYTES = 200;

  /** Bytes of a stack here and in the table, its frames aside. */
  private static final int STACK_BYTES = 200;

  private static final int STACK_FRAME_BYTES = 10;

  private final TextPool texts;
  private final StackTable.Builder table = new StackTable.Builder();

  // Frames by (file, line, function): open addressing, three ints a key.
  private int[] frameKeys = new int[3 * 64];
  private int[] frameNumbers = new int[64];
  private int frameCount;

  // Stacks by their frames: runs in one array, open addressing over the runs.
  private int[] runs = new int[1 << 10];
  private int[] runStarts = new int[64];
  private int[] runNumbers = new int[64];
  private int[] slots = new int[128];
  private int runCount;

  StackNumbers(TextPool texts) {
    this.texts = texts;
  }

  /** Number of a frame; the texts are numbers in the pool, or −1 for none. */
  int frame(int file, int line, int function) {
    int mask = frameNumbers.length - 1;
    int slot = (int) TextPool.mix((long) file << 32 ^ (long) function << 12 ^ line) & mask;
    while (frameNumbers[slot] != 0) {
      int key = slot * 3;
      if (frameKeys[key] == file && frameKeys[key + 1] == line && frameKeys[key + 2] == function) {
        return frameNumbers[slot] - 1;
      }
      slot = (slot + 1) & mask;
    }
    int number = table.frame(text(file), line, text(function));
    insertFrame(slot, file, line, function, number + 1);
    if (++frameCount * 2 > frameNumbers.length) {
      growFrames();
    }
    return number;
  }

  private void insertFrame(int slot, int file, int line, int function, int number) {
    frameKeys[slot * 3] = file;
    frameKeys[slot * 3 + 1] = line;
    frameKeys[slot * 3 + 2] = function;
    frameNumbers[slot] = number;
  }

  private void growFrames() {
    int[] keys = frameKeys;
    int[] numbers = frameNumbers;
    frameKeys = new int[keys.length * 2];
    frameNumbers = new int[numbers.length * 2];
    int mask = frameNumbers.length - 1;
    for (int i = 0; i < numbers.length; i++) {
      if (numbers[i] != 0) {
        int file = keys[i * 3];
        int line = keys[i * 3 + 1];
        int function = keys[i * 3 + 2];
        int slot = (int) TextPool.mix((long) file << 32 ^ (long) function << 12 ^ line) & mask;
        while (frameNumbers[slot] != 0) {
          slot = (slot + 1) & mask;
        }
        insertFrame(slot, file, line, function, numbers[i]);
      }
    }
  }

  private String text(int id) {
    return id < 0 ? "" : texts.text(id);
  }

  /** Number of the stack with these frames. */
  int stack(int[] frames, int count) {
    if (count == 0) {
      return StackTable.NONE;
    }
    int mask = slots.length - 1;
    int slot = hash(frames, 0, count) & mask;
    for (int entry; (entry = slots[slot]) != 0; slot = (slot + 1) & mask) {
      int run = entry - 1;
      if (Arrays.equals(runs, runStarts[run], runStarts[run + 1], frames, 0, count)) {
        return runNumbers[run];
      }
    }
    return addRun(frames, count, slot);
  }

  private int addRun(int[] frames, int count, int slot) {
    int start = runStarts[runCount];
    int end = Math.addExact(start, count);
    if (end > runs.length) {
      runs = Arrays.copyOf(runs, Math.max(end, Math.addExact(runs.length, runs.length >> 1)));
    }
    System.arraycopy(frames, 0, runs, start, count);
    if (runCount + 2 > runStarts.length) {
      runStarts = Arrays.copyOf(runStarts, runStarts.length * 2);
      runNumbers = Arrays.copyOf(runNumbers, runNumbers.length * 2);
    }
    runStarts[runCount + 1] = end;
    int number = table.stack(Arrays.copyOf(frames, count));
    runNumbers[runCount] = number;
    slots[slot] = ++runCount;
    if (runCount * 2 > slots.length) {
      growSlots();
    }
    return number;
  }

  private void growSlots() {
    int[] larger = new int[slots.length * 2];
    int mask = larger.length - 1;
    for (int run = 0; run < runCount; run++) {
      int slot = hash(runs, runStarts[run], runStarts[run + 1] - runStarts[run]) & mask;
      while (larger[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      larger[slot] = run + 1;
    }
    slots = larger;
  }

  private static int hash(int[] frames, int from, int count) {
    long h = count;
    for (int i = from; i < from + count; i++) {
      h = (h ^ frames[i]) * 0x9E3779B97F4A7C15L;
      h ^= h >>> 29;
    }
    return (int) TextPool.mix(h);
  }

  /** Bytes that frames and stacks take in memory, about. */
  long heldBytes() {
    return (long) FRAME_BYTES * frameCount
        + (long) STACK_BYTES * runCount
        + (long) STACK_FRAME_BYTES * runStarts[runCount];
  }

  /** The finished table. */
  StackTable build() {
    return table.build();
  }
}
