package org.allocsim.simulator.policy.rmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArenaMemoryResourceTest {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  private static RequestScript script(String size) throws Exception {
    return new RequestScript("rmm-arena", Map.of("size", size));
  }

  private static RequestScript script(String size, long... streams) throws Exception {
    return RequestScript.onStreams("rmm-arena", Map.of("size", size), streams);
  }

  private static ArenaMemoryResource arena(RequestScript script) {
    return (ArenaMemoryResource) script.policy();
  }

  @Test
  void rar1_requestOf1MiBIsServedByTheStreamsArena() throws Exception {
    RequestScript script = script("4MiB");
    assertEquals(0, script.offset(script.allocate(MIB)));
    assertEquals(MIB, script.offset(script.allocate(256)));
  }

  @Test
  void rar2_superblockIsCutOnlyWhere1MiBRemains() throws Exception {
    RequestScript script = script("4MiB");
    assertEquals(0, script.offset(script.allocate(256)));
    assertEquals(MIB, script.offset(script.allocate(MIB)));
    assertEquals(2 * MIB, script.offset(script.allocate(MIB + 1)));
    assertEquals(List.of(MIB - 256, MIB - 256), script.freeBlocks());
  }

  @Test
  void rar3_superblocksOfStreamsReturnWhereNothingFits() throws Exception {
    RequestScript script = script("4MiB");
    int[] blocks = {
      script.allocate(MIB), script.allocate(MIB), script.allocate(MIB), script.allocate(MIB)
    };
    for (int block : blocks) {
      script.free(block);
    }
    assertEquals(0, script.synchronizations());
    assertEquals(0, script.offset(script.allocate(4 * MIB)));
    assertEquals(1, script.synchronizations());
  }

  @Test
  void rar4_requestFailsAfterOneSynchronizationWhereALiveBlockIsInTheWay() throws Exception {
    RequestScript script = script("4MiB");
    int[] blocks = {
      script.allocate(MIB), script.allocate(MIB), script.allocate(MIB), script.allocate(MIB)
    };
    for (int i = 0; i < 3; i++) {
      script.free(blocks[i]);
    }
    assertFalse(script.isServed(script.allocate(4 * MIB)));
    assertEquals(1, script.synchronizations());
    assertEquals(0, script.offset(script.allocate(3 * MIB)));
  }

  @Test
  void rar5_freesOfLargeBlocksWaitForTheStream() throws Exception {
    RequestScript script = script("64MiB");
    int large = script.allocate(3 * MIB);
    int small = script.allocate(512 * KIB);
    script.free(small);
    assertEquals(0, arena(script).streamSynchronizations());
    script.free(large);
    assertEquals(1, arena(script).streamSynchronizations());
  }

  @Test
  void rar6_arenaBelow1MiBIsRefused() {
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> script(Long.toString(MIB - 256)));
    assertTrue(error.getMessage().contains("at least 1048576 bytes"), error.getMessage());
  }

  @Test
  void arenaIsHalfOfTheFreeMemoryByDefaultAndFailsRequestsWhereThatIsTooLittle() throws Exception {
    RequestScript script = new RequestScript("rmm-arena", Map.of(), 5 * MIB + 300, -1);
    assertTrue(script.isServed(script.allocate(1)));
    assertEquals(List.of((5 * MIB / 2 + 150) / 256 * 256), script.deviceRequests());
    RequestScript tiny = new RequestScript("rmm-arena", Map.of(), 2 * MIB - 1, -1);
    assertFalse(tiny.isServed(tiny.allocate(1)));
    assertEquals(List.of(), tiny.deviceRequests());
  }

  @Test
  void smallBlockFreedOnAnotherStreamWaitsForThatStream() throws Exception {
    RequestScript script = script("64MiB", 0, 16);
    int block = script.allocate(256, 0);
    script.free(block, 1);
    assertEquals(1, arena(script).streamSynchronizations());
    assertEquals(0, script.offset(script.allocate(256, 0)));
  }

  @Test
  void superblockWithALiveLargeBlockMayBeHandedOverToAStream() throws Exception {
    RequestScript script = script("3MiB", 0, 16);
    int large = script.allocate(2 * MIB + 256, 0);
    assertEquals(0, script.offset(large));
    assertEquals(2 * MIB + 256, script.offset(script.allocate(256, 1)));
    script.free(large, 0);
    assertEquals(2, arena(script).streamSynchronizations());
    assertEquals(0, script.offset(script.allocate(MIB, 1)));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 256",
    "1025, 1280",
    "17408, 20480",
    "51200, 55296",
    "55297, 65536",
    "13631488, 14680064",
    "2621440000, 2684354560",
    "274877906944, 274877906944",
    "274877906945, 9223372036854775807"
  })
  void sizeClassesAreFourADoublingWithOneOutOfLine(long bytes, long rounded) {
    assertEquals(rounded, SizeClasses.alignUp(bytes));
  }

  @Test
  void sizeClassesAreUsedWhereTheyAreSet() throws Exception {
    RequestScript script =
        new RequestScript("rmm-arena", Map.of("size", "64MiB", "size-classes", "true"));
    assertEquals(54 * KIB, script.blockBytes(script.allocate(50 * KIB)));
    assertFalse(script.isServed(script.allocate(Long.MAX_VALUE)));
  }
}
