package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.output.ExitCodes;

/**
 * What a command says of a job.
 *
 * @param <R> what was kept of each rank
 * @param <F> what that comes to
 * @param job the job; of several the first
 * @param ranks what was found of the ranks whose recordings could be read
 * @param unreadable why the others could not be
 * @param contradicting ranks whose recordings name another rank than their files do
 * @param finding what the ranks come to
 * @param next commands about the same
 */
public record JobAnswer<R, F>(
    Job job,
    List<Ranked<R>> ranks,
    List<Ranked<String>> unreadable,
    List<Ranked<Integer>> contradicting,
    F finding,
    NextCommand next) {
  /** Names of other files that people read. */
  private static final int OTHERS_SHOWN = 5;

  /** Ranks of a long job that people read. */
  private static final int RANKS_SHOWN = 64;

  /** A folder with recordings of ranks. */
  static final Shape<Job> JOB =
      Shape.of(job ->
          job.text("folder", "Name of the folder, as given.", each -> each.folder().toString())
              .count("ranks", "Number of recordings in it.", each -> each.ranks().size())
              .texts("hosts", "Hosts named by the files.", Job::hosts)
              .series(
                  Unit.COUNT,
                  "missing_ranks",
                  "Ranks below the highest one that have no recording.",
                  Job::missing)
              .texts("skipped", "Files and folders in it that are not recordings.", Job::others));

  private static final Shape<Rank> RANK =
      Shape.of(rank ->
          rank.count(
                  "rank",
                  "Rank number; per host if the file names count ranks on each host.",
                  Rank::number)
              .missing("neither the files' names nor their contents give it")
              .shown(Unit.TEXT, "rank", "The rank, or its file.", Rank::id)
              .text("host", "Host named by the file name.", Rank::host)
              .missing("it gives none")
              .term(Columns.FILE, each -> each.file().toString()));

  private static final Shape<Ranked<String>> UNREADABLE =
      Shape.of(file -> file.embed(RANK, Ranked::rank).term(Columns.ERROR, Ranked::found));

  private static final Shape<Ranked<Integer>> CONTRADICTING =
      Shape.of(file ->
          file.embed(RANK, Ranked::rank)
              .count("recorded_rank", "Rank that the recording names.", Ranked::found));

  /** Keeps its own copies. */
  public JobAnswer {
    ranks = List.copyOf(ranks);
    unreadable = List.copyOf(unreadable);
    contradicting = List.copyOf(contradicting);
  }

  /**
   * The JSON of a command's answer to a job.
   *
   * @param command the command's name
   * @param says what its answer says, which continues "of a job:"
   * @param row what is said of each rank
   * @param finding what is said of the job
   */
  static <R, F> Kind<JobAnswer<R, F>> kind(
      String command, String says, Shape<R> row, Shape<F> finding) {
    return new Kind<>(
        "job-" + command,
        command + " FOLDER --json",
        "What `allocsim " + command + " FOLDER --json` writes of a job: " + says + ".",
        Shape.of(answer ->
            answer
                .one("job", "The job.", JOB, JobAnswer::job)
                .embed(finding, JobAnswer::finding)
                .many("ranks", "One entry for each rank.", rows(row), JobAnswer::ranks)
                .many(
                    "unreadable",
                    "Ranks whose recordings could not be read.",
                    UNREADABLE,
                    JobAnswer::unreadable)
                .many(
                    "mismatched_ranks",
                    "Ranks whose recordings name a different rank than their files.",
                    CONTRADICTING,
                    JobAnswer::contradicting)));
  }

  private static <R> Shape<Ranked<R>> rows(Shape<R> row) {
    return Shape.of(rank -> rank.embed(RANK, Ranked::rank).embed(row, Ranked::found));
  }

  public <A> Document<JobAnswer<R, F>> document(JobView<A, R, F> question) {
    Table<Ranked<R>> table =
        Table.of("Ranks", rows(question.row()), ranks)
            .first(RANKS_SHOWN, new Table.More("rank", "--json FILE has all"));
    List<Block> blocks = new ArrayList<>(List.of(question.facts(this)));
    blocks.addAll(question.blocks(this));
    blocks.add(table);
    blocks.add(new Notes(notes()));
    Table<?> first =
        blocks.stream()
            .filter(Table.class::isInstance)
            .<Table<?>>map(each -> (Table<?>) each)
            .findFirst()
            .orElseThrow();
    return new Document<>(
        question.kind(),
        String.valueOf(job.folder().getFileName()),
        question.verdict(this),
        List.of(new Section(null, blocks)),
        first,
        this);
  }

  /** The exit code: a rank that could not be read makes the answer incomplete. */
  public <A> int exitCode(JobView<A, R, F> question) {
    return !unreadable.isEmpty()
        ? ExitCodes.FAILED
        : question.holds(finding) ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
  }

  /** A folder and how many ranks it has. */
  static Sentence about(Job job) {
    Sentence ranks = count(job.ranks().size(), "rank");
    return Sentence.of(
        "{}: {}",
        job.folder(),
        job.hosts().size() < 2
            ? ranks
            : Sentence.of("{} on {}", ranks, count(job.hosts().size(), "host")));
  }

  private List<Sentence> notes() {
    List<Sentence> notes = new ArrayList<>();
    for (Ranked<String> each : unreadable) {
      notes.add(Sentence.of("{} is not counted: {}", each.rank().label(), each.found()));
    }
    for (Ranked<Integer> each : contradicting) {
      notes.add(
          Sentence.of(
              "{} records rank {} but is named {}; the name is used. Rename the file if it is"
                  + " wrong",
              each.rank().name(),
              each.found(),
              each.rank().label()));
    }
    if (!job.missing().isEmpty()) {
      List<String> missing = job.missing().stream().map(String::valueOf).toList();
      notes.add(
          Sentence.of(
              "no recording of {} {}",
              missing.size() == 1 ? "rank" : "ranks",
              JobWords.list(missing, JobWords.NAMES_SHOWN)));
    }
    if (!job.others().isEmpty()) {
      notes.add(
          Sentence.of(
              "skipped {} (not recordings): {}",
              count(job.others().size(), "file"),
              JobWords.list(job.others(), OTHERS_SHOWN)));
    }
    if (job.ranks().stream().anyMatch(rank -> rank.number() == null)) {
      notes.add(Sentence.of("no file identifies its rank; name them rank0, rank1 and so on"));
    }
    return notes;
  }

  /** What was found of a rank that could be read. */
  R of(Rank rank) {
    return ranks.stream()
        .filter(each -> each.rank().equals(rank))
        .findFirst()
        .orElseThrow()
        .found();
  }

  /** Commands about the recording of a rank. */
  NextCommand next(Rank rank) {
    return next.about(rank.file().toString());
  }
}
