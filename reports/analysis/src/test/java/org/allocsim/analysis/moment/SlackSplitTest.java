package org.allocsim.analysis.moment;

import static org.allocsim.analysis.moment.TestPrograms.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.Run;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackSplitTest {
  private static final long PAGE = 20 * MIB;

  @Test
  void everyFreeOrWaitingBlockIsInOnePart() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    layout.segment(0, 100 * MIB, 0, false, 0, false);
    layout.block(0, 100 * MIB, 0, BlockState.INACTIVE, -1);
    layout.segment(200 * MIB, 100 * MIB, 0, false, 0, false);
    layout.block(200 * MIB, 30 * MIB, 30 * MIB, BlockState.ACTIVE_ALLOCATED, 0);
    layout.block(230 * MIB, 70 * MIB, 0, BlockState.INACTIVE, -1);
    layout.segment(400 * MIB, 40 * MIB, 1, false, 0, false);
    layout.block(400 * MIB, 40 * MIB, 0, BlockState.INACTIVE, -1);
    layout.segment(500 * MIB, 40 * MIB, 1, false, 0, false);
    layout.block(500 * MIB, 5 * MIB, 5 * MIB, BlockState.ACTIVE_PENDING_FREE, 1);
    layout.block(505 * MIB, 35 * MIB, 0, BlockState.INACTIVE, -1);
    layout.segment(600 * MIB, 20 * MIB, 0, false, 3, false);
    layout.block(600 * MIB, 9 * MIB, 9 * MIB, BlockState.ACTIVE_ALLOCATED, 2);
    layout.block(609 * MIB, 11 * MIB, 0, BlockState.INACTIVE, -1);
    assertEquals(
        new SlackSplit(100 * MIB, 70 * MIB, 5 * MIB, 40 * MIB, 35 * MIB, 11 * MIB),
        SlackSplit.of(layout.build(), 0, PAGE));
  }

  @Test
  void ofAnExpandableSegmentWholeFreePagesAreReleasable() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    layout.segment(0, 100 * MIB, 0, false, 0, true);
    layout.block(0, 5 * MIB, 5 * MIB, BlockState.ACTIVE_ALLOCATED, 0);
    // From 5 to 61 MiB: the pages from 20 to 60 are free as a whole.
    layout.block(5 * MIB, 56 * MIB, 0, BlockState.INACTIVE, -1);
    layout.block(61 * MIB, 1 * MIB, 1 * MIB, BlockState.ACTIVE_ALLOCATED, 1);
    // From 62 to 79 MiB: no page is.
    layout.block(62 * MIB, 17 * MIB, 0, BlockState.INACTIVE, -1);
    layout.block(79 * MIB, 1 * MIB, 1 * MIB, BlockState.ACTIVE_ALLOCATED, 2);
    layout.block(80 * MIB, 20 * MIB, 0, BlockState.INACTIVE, -1);
    assertEquals(
        new SlackSplit(60 * MIB, 33 * MIB, 0, 0, 0, 0), SlackSplit.of(layout.build(), 0, PAGE));
  }

  @Test
  void theSmallPoolHasPagesOfTwoMebibytes() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    layout.segment(0, 6 * MIB, 0, true, 0, true);
    layout.block(0, MIB, MIB, BlockState.ACTIVE_ALLOCATED, 0);
    layout.block(MIB, 5 * MIB, 0, BlockState.INACTIVE, -1);
    assertEquals(new SlackSplit(4 * MIB, MIB, 0, 0, 0, 0), SlackSplit.of(layout.build(), 0, PAGE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cat_growth", "device_oom", "cuda_graph", "prefetch_streams", "two_gpu"})
  void thePartsAddUpToReservedMinusAllocatedAllAlong(String name) throws Exception {
    Landmarks landmarks = TestPrograms.survey(TestPrograms.recorded(TestPrograms.shipped(name)));
    assertTrue(landmarks.hasRecordedAddresses());
    long step = Math.max(1, landmarks.requests() / 40);
    for (long request = 0; request < landmarks.requests(); request += step) {
      MemoryMoment moment = TestPrograms.at(landmarks, MomentQuery.afterRequest(request));
      assertEquals(moment.bytes().slackBytes(), moment.slack().totalBytes());
    }
  }

  /** What is called releasable is what the allocator returns when its cache is emptied. */
  @ParameterizedTest
  @CsvSource({
    "cat_growth, ''",
    "cat_growth, expandable_segments:True",
    "cat_growth, 'expandable_segments:True,large_segment_size_mb:40'",
    "cat_growth, max_split_size_mb:20",
    "two_gpu, ''",
    "two_gpu, expandable_segments:True"
  })
  void emptyingTheCacheReturnsWhatIsReleasable(String name, String conf) throws Exception {
    Program program = TestPrograms.under(TestPrograms.recorded(TestPrograms.shipped(name)), conf);
    long largest = 0;
    Landmarks landmarks = TestPrograms.survey(program);
    int rows = program.input().trace().eventCount();
    for (int row = rows / 20; row < rows; row += rows / 20) {
      Run replay = MomentFinder.runTo(landmarks, row);
      SlackSplit slack =
          SlackSplit.of(
              MemoryLayout.of(replay.policy()),
              0,
              program.config().allocator().largeSegmentBytes());
      assertEquals(0, slack.awaitingBytes() + slack.privateBytes());
      long before = replay.stats().reservedBytes();
      replay.policy().emptyCache();
      long released = before - replay.stats().reservedBytes();
      assertEquals(slack.releasableBytes() + slack.otherReleasableBytes(), released);
      largest = Math.max(largest, released);
    }
    assertTrue(largest > 0, "nothing was ever releasable");
  }

  @Test
  void atAFailedRequestNothingIsReleasableAnyMore() throws Exception {
    Landmarks landmarks =
        TestPrograms.survey(TestPrograms.recorded(TestPrograms.shipped("device_oom")));
    MemoryMoment moment = TestPrograms.at(landmarks, MomentQuery.Kind.FIRST_OOM);
    assertEquals(0, moment.slack().releasableBytes() + moment.slack().otherReleasableBytes());
    assertTrue(moment.bytes().reservedBytes() > 0);
  }
}
