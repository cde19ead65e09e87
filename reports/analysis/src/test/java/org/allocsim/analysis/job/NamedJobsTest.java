package org.allocsim.analysis.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.analysis.job.NamedJobs.Member;
import org.junit.jupiter.api.Test;

class NamedJobsTest {
  private static Map<String, Member> of(String... files) {
    return new TreeMap<>(NamedJobs.of(List.of(files)));
  }

  @Test
  void filesOfOneFolderThatDifferInTheRankAreAJob() {
    assertEquals(
        Map.of(
            "a/ddp/run.rank0.pickle", new Member("a/ddp", 0, null),
            "a/ddp/run.rank1.pickle", new Member("a/ddp", 1, null)),
        of("a/ddp/run.rank0.pickle", "a/ddp/run.rank1.pickle", "a/ddp/notes.pickle"));
  }

  @Test
  void severalJobsOfAFolderAreToldApartByTheRestOfTheirNames() {
    Map<String, Member> members =
        of(
            "july/x.rank0.pickle",
            "july/x.rank1.pickle",
            "july/y.rank0.pickle",
            "july/y.rank1.pickle");
    assertEquals(4, members.size());
    assertEquals(
        2, members.values().stream().map(Member::job).distinct().count(), members.toString());
    assertEquals(
        members.get("july/x.rank0.pickle").job(), members.get("july/x.rank1.pickle").job());
  }

  @Test
  void foldersOfRanksBesideEachOtherAreAJob() {
    assertEquals(
        Map.of(
            "job/rank0/snapshot.pickle", new Member("job", 0, null),
            "job/rank1/snapshot.pickle", new Member("job", 1, null)),
        of("job/rank0/snapshot.pickle", "job/rank1/snapshot.pickle"));
  }

  @Test
  void hostsThatCountFromZeroEachAreOneJob() {
    assertEquals(
        new Member("job", 0, "host2"),
        of(
                "job/host1_rank0.pickle",
                "job/host1_rank1.pickle",
                "job/host2_rank0.pickle",
                "job/host2_rank1.pickle")
            .get("job/host2_rank0.pickle"));
  }

  @Test
  void numbersAndGpusInNamesMakeNoJob() {
    assertEquals(
        Map.of(),
        of("july/run-1.pickle", "july/run-2.pickle", "july/gpu0.pickle", "july/gpu1.pickle"));
  }

  @Test
  void oneRankOrTwoFilesOfOneAreNoJob() {
    assertEquals(Map.of(), of("a/rank0.pickle", "b/rank0.pickle", "program:gpt(rank1=2)"));
    assertEquals(Map.of(), of("a/rank0.pickle", "a/rank0.pickle.xz"));
  }
}
