package org.allocsim.analysis.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeapRoomTest {
  private static final long MIB = 1L << 20;

  @Test
  void asManyAreOpenAsFitTheHeapWhicheverTheyAre() {
    List<Long> bytes = List.of(10 * MIB, 100 * MIB, 200 * MIB, 20 * MIB);
    assertEquals(4, HeapRoom.together(bytes, 1000 * MIB));
    assertEquals(3, HeapRoom.together(bytes, 540 * MIB));
    assertEquals(2, HeapRoom.together(bytes, 500 * MIB));
    assertEquals(1, HeapRoom.together(bytes, 499 * MIB));
  }

  @Test
  void oneIsOpenHoweverSmallTheHeapIs() {
    assertEquals(1, HeapRoom.together(Collections.nCopies(8, 1000 * MIB), 64 * MIB));
  }

  @Test
  void compressedFilesUnpackToMore() {
    assertEquals(2 * MIB, HeapRoom.bytesOf("a/rank0.pickle", MIB));
    assertEquals(30 * MIB, HeapRoom.bytesOf("a/RANK0.PICKLE.GZ", MIB));
    // The window of xz -9 is 64 MiB for the smallest file.
    assertEquals(94 * MIB, HeapRoom.bytesOf("rank0.pickle.xz", MIB));
  }
}
