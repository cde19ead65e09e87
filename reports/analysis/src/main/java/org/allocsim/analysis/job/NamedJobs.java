package org.allocsim.analysis.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds jobs among the files of a fleet, by their names: files of one folder, or of folders beside
 * each other, whose names have the word "rank" and differ in it only. Nothing else counts here:
 * numbers, GPUs and processes in names may be of runs that have nothing to do with each other.
 */
public final class NamedJobs {
  private NamedJobs() {}

  /**
   * What a file is of.
   *
   * @param job the folder of the job; with the rest of the names where a folder holds several jobs
   * @param rank number of the rank, on its host where files count on each
   * @param host the host that the names give; null where they give none
   */
  public record Member(String job, int rank, @Nullable String host) {}

  /** A rank and its file. */
  private record Named(String file, RankNames.Found found) {}

  /** The files that belong to jobs; others are left out. */
  public static Map<String, Member> of(Collection<String> files) {
    Map<String, Member> members = new HashMap<>();
    for (int depth = 1; depth <= 2; depth++) {
      addJobs(files, depth, members);
    }
    return members;
  }

  /** Jobs of the files that are in none yet, whose ranks stand in so many last parts of a name. */
  private static void addJobs(Collection<String> files, int depth, Map<String, Member> members) {
    Map<String, Map<String, List<Named>>> byFolder = new LinkedHashMap<>();
    for (String file : files) {
      int cut = folderEnd(file, depth);
      if (members.containsKey(file) || cut < 0 && depth > 1) {
        continue;
      }
      Optional<RankNames.Found> found = RankNames.byWordOf(file.substring(cut + 1));
      found.ifPresent(rank ->
          byFolder
              .computeIfAbsent(cut < 0 ? "" : file.substring(0, cut), _ -> new LinkedHashMap<>())
              .computeIfAbsent(rank.rest(), _ -> new ArrayList<>())
              .add(new Named(file, rank)));
    }
    byFolder.forEach((folder, jobs) -> {
      jobs.values().removeIf(ranks -> !isJob(ranks));
      jobs.forEach((rest, ranks) -> {
        String job = jobs.size() == 1 ? folder : folder + "/" + rest.strip();
        for (Named each : ranks) {
          members.put(each.file(), new Member(job, each.found().number(), each.found().host()));
        }
      });
    });
  }

  /** Where the folder of a job ends in a name; −1 where the name has fewer parts. */
  private static int folderEnd(String file, int depth) {
    int end = file.length();
    for (int part = 0; part < depth && end >= 0; part++) {
      end = file.lastIndexOf('/', end - 1);
    }
    return end;
  }

  private static boolean isJob(List<Named> ranks) {
    Set<String> distinct = new HashSet<>();
    ranks.forEach(each -> distinct.add(each.found().number() + " of " + each.found().host()));
    return ranks.size() > 1 && distinct.size() == ranks.size();
  }
}
