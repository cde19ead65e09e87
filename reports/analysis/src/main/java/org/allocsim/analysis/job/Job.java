package org.allocsim.analysis.job;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * A job: a folder with one recording for each rank, or with a folder for each rank or host. Only
 * the files' beginnings are looked at, and their whole content where no name gives a rank.
 *
 * @param folder as the user named it
 * @param ranks by host and number, those without a number by name; there is one at least
 * @param others names of files and folders that are no recordings
 * @param missing ranks below the highest one that have no recording, where numbers are those of the
 *     whole job
 */
public record Job(Path folder, List<Rank> ranks, List<String> others, List<Integer> missing) {
  /** Files and folders in a folder that is looked through. */
  private static final int MAX_FILES = 20_000;

  private static final Comparator<Rank> ORDER =
      Comparator.comparing(
              (Rank rank) -> Objects.requireNonNullElse(rank.host(), ""), NaturalOrder.OF_NAMES)
          .thenComparing(Rank::number, Comparator.nullsFirst(Comparator.naturalOrder()))
          .thenComparing(Rank::name, NaturalOrder.OF_NAMES);

  /** Keeps its own copies. */
  public Job {
    ranks = List.copyOf(ranks);
    others = List.copyOf(others);
    missing = List.copyOf(missing);
  }

  /** The recordings of a folder and what else is in it, by name. */
  private record Contents(List<String> recordings, List<String> others, List<Path> folders) {}

  /**
   * The recordings below a folder, in the order in which people sort names.
   *
   * @throws JobException where there are none, or too many files
   * @throws IOException where the folder cannot be read
   */
  public static List<Path> recordings(Path folder) throws JobException, IOException {
    return contents(folder).recordings().stream().map(folder::resolve).toList();
  }

  /**
   * Opens a job.
   *
   * @throws JobException where the folder is no job: it has no recording, two of one rank, or some
   *     without a rank beside others
   * @throws IOException where the folder cannot be read
   */
  public static Job open(Path folder) throws JobException, IOException {
    Contents contents = contents(folder);
    requireDistinctFiles(folder, contents.recordings());
    List<Rank> ranks = ranks(folder, contents.recordings());
    requireDistinctRanks(folder, ranks);
    ranks.sort(ORDER);
    return new Job(folder, ranks, contents.others(), missing(ranks));
  }

  private static Contents contents(Path folder) throws JobException, IOException {
    Contents top = list(folder, folder, 0);
    if (!top.recordings().isEmpty()) {
      List<String> others = new ArrayList<>(top.others());
      top.folders().forEach(each -> others.add(name(folder, each)));
      others.sort(NaturalOrder.OF_NAMES);
      return new Contents(top.recordings(), others, List.of());
    }
    List<String> recordings = new ArrayList<>();
    List<String> others = new ArrayList<>(top.others());
    for (Path inner : top.folders()) {
      Contents below = list(folder, inner, recordings.size() + others.size());
      recordings.addAll(below.recordings());
      others.addAll(below.others());
      below.folders().forEach(each -> others.add(name(folder, each)));
    }
    if (recordings.isEmpty()) {
      throw new JobException(
          folder
              + ": the folder contains no trace; 'allocsim list formats' lists the readable"
              + " formats");
    }
    recordings.sort(NaturalOrder.OF_NAMES);
    others.sort(NaturalOrder.OF_NAMES);
    return new Contents(recordings, others, List.of());
  }

  private static Contents list(Path job, Path folder, int before) throws JobException, IOException {
    List<Path> files = new ArrayList<>();
    List<Path> folders = new ArrayList<>();
    List<String> others = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (before + files.size() + folders.size() + others.size() >= MAX_FILES) {
          throw new JobException(
              job
                  + " contains more than "
                  + MAX_FILES
                  + " files, which is not a job; use 'allocsim sweep' for many recordings");
        }
        // A pipe or a device would never end.
        if (Files.isRegularFile(entry)) {
          files.add(entry);
        } else if (Files.isDirectory(entry)) {
          folders.add(entry);
        } else {
          others.add(name(job, entry));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    List<String> recordings = new ArrayList<>();
    for (Path file : files) {
      (isRecording(file) ? recordings : others).add(name(job, file));
    }
    recordings.sort(NaturalOrder.OF_NAMES);
    others.sort(NaturalOrder.OF_NAMES);
    folders.sort(Comparator.comparing(Path::toString, NaturalOrder.OF_NAMES));
    return new Contents(recordings, others, folders);
  }

  /**
   * Whether a file is a recording, or is called one and is damaged, which its reader will say.
   * Pickles of something else are none, whatever they are called.
   */
  private static boolean isRecording(Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    boolean isCalledOne = name.matches(".*\\.(pickle|pkl)(\\.(gz|xz|zst))?");
    try {
      return !TraceFormats.isOther(file) && (isCalledOne || TraceFormats.isTrace(file));
    } catch (TraceFormatException _) {
      return isCalledOne;
    }
  }

  private static String name(Path job, Path file) {
    return job.relativize(file).toString().replace('\\', '/');
  }

  private static List<Rank> ranks(Path folder, List<String> names) throws JobException {
    List<RankNames.@Nullable Found> found = RankNames.of(names);
    List<Rank> ranks = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      RankNames.Found each = found.get(i);
      ranks.add(
          new Rank(
              each == null ? null : Integer.valueOf(each.number()),
              each == null ? null : each.host(),
              folder.resolve(names.get(i)),
              names.get(i)));
    }
    List<Rank> without = ranks.stream().filter(rank -> rank.number() == null).toList();
    if (without.isEmpty()) {
      return ranks;
    }
    if (without.size() < ranks.size()) {
      throw new JobException(
          folder
              + ": "
              + without.getFirst().name()
              + " has no rank in its name, but others have; rename it or move it away");
    }
    return byContent(ranks);
  }

  /** The ranks that the recordings give themselves, where every one does. */
  private static List<Rank> byContent(List<Rank> ranks) {
    List<Rank> recorded = new ArrayList<>();
    for (Rank rank : ranks) {
      Integer number = recordedRank(rank.file());
      if (number == null) {
        return new ArrayList<>(ranks);
      }
      recorded.add(new Rank(number, rank.host(), rank.file(), rank.name()));
    }
    return recorded;
  }

  private static @Nullable Integer recordedRank(Path file) {
    try {
      return TraceSource.open(file.toString(), null, Progress.NONE)
          .snapshot()
          .flatMap(Snapshot::facts)
          .map(facts -> facts.rank())
          .orElse(null);
    } catch (TraceFormatException | SourceUsageException _) {
      // Who asks of the rank hears what is wrong with its file.
      return null;
    }
  }

  private static void requireDistinctFiles(Path folder, List<String> names)
      throws JobException, IOException {
    Map<Path, String> known = new HashMap<>();
    for (String name : names) {
      String before = known.put(folder.resolve(name).toRealPath(), name);
      if (before != null) {
        throw new JobException(
            folder + ": " + before + " and " + name + " are the same file; keep one of the two");
      }
    }
  }

  private static void requireDistinctRanks(Path folder, List<Rank> ranks) throws JobException {
    Map<String, Rank> known = new HashMap<>();
    for (Rank rank : ranks) {
      Rank before = rank.number() == null ? null : known.put(rank.id(), rank);
      if (before != null) {
        throw new JobException(
            ("%s: %s and %s are both of %s; keep one recording per rank, and put host or node in"
                    + " the names if ranks are counted per host")
                .formatted(folder, before.name(), rank.name(), rank.label()));
      }
    }
  }

  private static List<Integer> missing(List<Rank> ranks) {
    Set<Integer> numbers = new HashSet<>();
    for (Rank rank : ranks) {
      if (rank.number() == null || !numbers.add(rank.number())) {
        return List.of();
      }
    }
    int highest = new TreeSet<>(numbers).last();
    return IntStream.range(0, Math.min(highest, MAX_FILES))
        .filter(number -> !numbers.contains(number))
        .boxed()
        .toList();
  }

  /** Hosts that the names give, in their order. */
  public List<String> hosts() {
    return ranks.stream().map(Rank::host).filter(Objects::nonNull).distinct().toList();
  }

  /** The recordings, in the order of the ranks. */
  public List<Path> files() {
    return ranks.stream().map(Rank::file).toList();
  }

  /**
   * The ranks that all jobs have, in the order of the first, with their recordings in the order of
   * the jobs. Jobs of one rank each need not agree on what it is called.
   *
   * @param jobs at least one
   */
  public static List<Ranked<List<Path>>> common(List<Job> jobs) {
    boolean areSingle = jobs.stream().allMatch(job -> job.ranks().size() == 1);
    List<Ranked<List<Path>>> common = new ArrayList<>();
    for (Rank rank : jobs.getFirst().ranks()) {
      List<Path> files =
          jobs.stream()
              .flatMap(job ->
                  job.ranks().stream()
                      .filter(each -> areSingle || each.id().equals(rank.id()))
                      .map(Rank::file))
              .toList();
      if (files.size() == jobs.size()) {
        common.add(new Ranked<>(rank, files));
      }
    }
    return common;
  }

  /** Ranks that this job has and another lacks. */
  public List<Rank> without(List<Ranked<List<Path>>> common) {
    Set<Path> known = new HashSet<>();
    common.forEach(each -> known.addAll(each.found()));
    return ranks.stream().filter(rank -> !known.contains(rank.file())).toList();
  }
}
