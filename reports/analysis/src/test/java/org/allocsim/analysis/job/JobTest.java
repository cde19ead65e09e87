package org.allocsim.analysis.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which folders are jobs, and which file is of which rank. */
class JobTest {
  @TempDir private Path temp;
  private Path folder;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(temp.resolve("job"));
  }

  private Job job(String... names) throws Exception {
    for (String name : names) {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, name);
    }
    return Job.open(folder);
  }

  private static List<String> ids(Job job) {
    return job.ranks().stream().map(Rank::id).toList();
  }

  private static List<String> names(Job job) {
    return job.ranks().stream().map(Rank::name).toList();
  }

  private String refusal(String... names) {
    String sentence = assertThrows(JobException.class, () -> job(names)).getMessage();
    assertEquals(1, sentence.lines().count());
    assertTrue(sentence.startsWith(folder.toString()), sentence);
    return sentence;
  }

  @Test
  void everyUsualWayOfNamingRanksIsUnderstood() throws Exception {
    for (String pattern :
        List.of(
            "rank%d.pickle",
            "rank_%d.pickle",
            "run.rank%d.pickle",
            "run.rank%d.pickle.gz",
            "rank%d_memory_snapshot.pickle",
            "memory_snapshot_rank-%d.pickle",
            "snapshot_world_size_8_rank_%d_step10.pickle",
            "Rank%d.PICKLE",
            "snapshot-%d.pickle",
            "snapshot_%d.pickle.xz",
            "%d.pickle",
            "gpu%d.pickle",
            "snapshot_cuda_%d_step5.pickle",
            "rank%d/snapshot.pickle",
            "rank_%d/memory.pickle",
            "dp_rank0_global_rank%d.pickle")) {
      Path own = Files.createDirectory(temp.resolve("by " + pattern.replace('/', ' ')));
      for (int rank : new int[] {10, 0, 2, 1}) {
        Path file = own.resolve(pattern.formatted(rank));
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
      }
      Job job = Job.open(own);
      assertEquals(List.of("0", "1", "2", "10"), ids(job), pattern);
      assertEquals(List.of(3, 4, 5, 6, 7, 8, 9), job.missing(), pattern);
    }
  }

  @Test
  void filesThatGiveNoRankAreNamedByThemselves() throws Exception {
    Job job = job("host_20240102_030405.pickle", "host_20240102_030409.pickle");
    assertEquals(names(job), ids(job));
    assertEquals(List.of(), job.missing());
  }

  @Test
  void numbersOfStepsAndModelsAreNoRanks() throws Exception {
    assertEquals(
        null,
        job("snapshot_step-10.pickle", "snapshot_step-20.pickle").ranks().getFirst().number());
    Path models = Files.createDirectory(temp.resolve("models"));
    Files.writeString(models.resolve("gpt_4.pickle"), "");
    Files.writeString(models.resolve("resnet_50.pickle"), "");
    assertEquals(null, Job.open(models).ranks().getFirst().number());
  }

  @Test
  void ranksOfHostsThatCountFromZeroKeepTheirHost() throws Exception {
    Job job =
        job(
            "node2-rank0.pickle",
            "node10-rank1.pickle",
            "node10-rank0.pickle",
            "node2-rank1.pickle");
    assertEquals(List.of("0 of node2", "1 of node2", "0 of node10", "1 of node10"), ids(job));
    assertEquals(List.of("node2", "node10"), job.hosts());
    assertEquals(List.of(), job.missing());
  }

  @Test
  void foldersOfHostsAreLookedThrough() throws Exception {
    Job job = job("host-a/rank0.pickle", "host-b/rank0.pickle");
    assertEquals(List.of("0 of host-a", "0 of host-b"), ids(job));
  }

  @Test
  void theOrderOfFilesOnDiskDecidesNothing() throws Exception {
    List<String> names =
        Arrays.asList(
            "rank0.pickle", "rank1.pickle", "rank2.pickle", "rank11.pickle", "a.txt", "b.txt");
    Job first = job(names.toArray(String[]::new));
    Random random = new Random(1);
    for (int i = 0; i < 5; i++) {
      Collections.shuffle(names, random);
      Path other = Files.createDirectory(temp.resolve("shuffled" + i));
      for (String name : names) {
        Files.writeString(other.resolve(name), name);
      }
      Job job = Job.open(other);
      assertEquals(names(first), names(job));
      assertEquals(first.others(), job.others());
    }
  }

  @Test
  void whatIsNoRecordingIsNamed() throws Exception {
    Files.createDirectory(folder.resolve("logs"));
    Files.createSymbolicLink(folder.resolve("gone"), folder.resolve("nowhere"));
    Job job = job("rank0.pickle", "notes.txt", "rank0.log");
    assertEquals(List.of("gone", "logs", "notes.txt", "rank0.log"), job.others());
    assertEquals(List.of("rank0.pickle"), names(job));
  }

  @Test
  void twoFilesOfOneRankAreRefused() {
    String sentence = refusal("a.rank0.pickle", "b.rank0.pickle", "a.rank1.pickle");
    assertTrue(sentence.contains("a.rank0.pickle and b.rank0.pickle are both of rank 0"), sentence);
    assertTrue(
        refusal("c/step_1/x", "iteration_10/rank0.pickle", "iteration_20/rank0.pickle")
            .contains("both of rank 0"));
  }

  @Test
  void aRecordingWithoutARankBesideOthersIsRefused() {
    String sentence = refusal("rank0.pickle", "rank1.pickle", "old.pickle");
    assertTrue(sentence.contains("old.pickle has no rank in its name"), sentence);
  }

  @Test
  void linksToOneFileAreRefused() throws IOException {
    Path file = Files.writeString(temp.resolve("snapshot.pickle"), "");
    Files.createSymbolicLink(folder.resolve("rank0.pickle"), file);
    Files.createSymbolicLink(folder.resolve("rank1.pickle"), file);
    assertTrue(refusal().contains("rank0.pickle and rank1.pickle are the same file"));
  }

  @Test
  void linksToDifferentFilesAreRanks() throws Exception {
    for (int rank = 0; rank < 2; rank++) {
      Path file = Files.writeString(temp.resolve("of" + rank), "");
      Files.createSymbolicLink(folder.resolve("rank" + rank + ".pickle"), file);
    }
    assertEquals(List.of("0", "1"), ids(Job.open(folder)));
  }

  @Test
  void foldersWithoutRecordingsAndFoldersOfFleetsAreRefused() throws IOException {
    assertTrue(refusal().contains("contains no trace"));
    assertTrue(refusal("notes.txt", "logs/train.log").contains("contains no trace"));
    for (int i = 0; i < 20_001; i++) {
      Files.createFile(folder.resolve(i + ".txt"));
    }
    assertTrue(refusal().contains("use 'allocsim sweep' for many"));
  }

  @Test
  void namesAreSortedAsPeopleSortThem() {
    List<String> names =
        Arrays.asList("rank10", "rank9", "rank09", "rank", "rank1", "a2b10", "a2b9");
    names.sort(NaturalOrder.OF_NAMES);
    assertEquals(List.of("a2b9", "a2b10", "rank", "rank1", "rank09", "rank9", "rank10"), names);
  }
}
