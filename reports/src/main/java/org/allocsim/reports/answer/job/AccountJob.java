package org.allocsim.reports.answer.job;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.account.GpuAccount;
import org.allocsim.analysis.account.GpuAccount.Part;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.job.AccountJob.Finding;
import org.allocsim.reports.answer.job.AccountJob.Row;
import org.allocsim.reports.answer.moment.AccountAnswer;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;

/** {@code account} of a job: where the memory of each rank's GPU is. */
public final class AccountJob extends JobView<AccountAnswer, Row, Finding> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param account the parts of its GPU
   * @param source where the size of the GPU comes from
   */
  public record Row(int device, GpuAccount account, String source) {
    private long unexplainedBytes() {
      return account.bytes(Part.UNEXPLAINED);
    }
  }

  /**
   * What the ranks come to.
   *
   * @param fullest the rank whose allocator reserves the most
   * @param unexplained the rank with the most memory that nobody explains
   * @param freeUnknown ranks of whose GPU the free memory is not known
   */
  public record Finding(Ranked<Row> fullest, Ranked<Row> unexplained, List<Rank> freeUnknown) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .term(
                  Columns.REQUESTED_BYTES,
                  "requested",
                  each -> each.account().bytes(Part.REQUESTED))
              .rank(4)
              .term(Columns.RESERVED_BY_PYTORCH, "reserved", each -> each.account().reservedBytes())
              .embed(
                  part(
                      Part.CONTEXT,
                      "context_bytes",
                      "context",
                      "Driver and context of the process."))
              .rank(3)
              .embed(
                  part(
                      Part.POOLS,
                      "pools_bytes",
                      "pools",
                      "Memory of the process in the driver's own pools."))
              .rank(6)
              .embed(
                  part(
                      Part.COLLECTIVES,
                      "collectives_bytes",
                      "NCCL",
                      "Memory of NCCL's communicators."))
              .rank(7)
              .embed(
                  part(
                      Part.LIBRARIES,
                      "libraries_bytes",
                      "libraries",
                      "Kernels and libraries of the process; includes NCCL unless that is known"
                          + " separately."))
              .embed(
                  part(
                      Part.OTHER_PROCESSES,
                      "other_processes_bytes",
                      "others",
                      "Memory of other processes."))
              .embed(part(Part.DRIVER, "driver_bytes", "driver", "Memory kept by the driver."))
              .rank(5)
              .embed(part(Part.FREE, "free_bytes", "free", "Free memory of the GPU."))
              .rank(1)
              .bytes(
                  "unexplained_bytes", "unexplained", "Unexplained memory.", Row::unexplainedBytes)
              .rank(2)
              .term(Columns.GPU_BYTES, "the GPU", each -> each.account().totalBytes())
              .term(Columns.GPU_SOURCE, Row::source));

  private static final Shape<Finding> FINDING =
      Shape.of(job ->
          job.text(
                  "max_reserved_rank",
                  "The rank whose allocator reserves the most, or its file.",
                  each -> each.fullest().rank().id())
              .text(
                  "most_unexplained_rank",
                  "The rank with the most unexplained memory, or its file.",
                  each -> each.unexplained().rank().id()));

  public static final Kind<JobAnswer<Row, Finding>> KIND =
      JobAnswer.kind("account", "where the memory of each rank's GPU goes", ROW, FINDING);

  public AccountJob() {
    super(KIND, ROW);
  }

  private static Shape<Row> part(Part part, String key, String label, String explanation) {
    return Shape.of(rank ->
        rank.bytes(
                key,
                label,
                explanation,
                each -> each.account().has(part) ? each.account().bytes(part) : null)
            .optional()
            .missing("it is not known"));
  }

  @Override
  public Row keep(AccountAnswer answer) {
    return new Row(answer.at().program().device(), answer.account(), answer.source());
  }

  @Override
  public Finding fold(List<Ranked<Row>> ranks) {
    return new Finding(
        Ranked.highest(ranks, each -> each.account().reservedBytes()),
        Ranked.highest(ranks, Row::unexplainedBytes),
        Ranked.where(ranks, each -> !each.account().has(Part.FREE)));
  }

  @Override
  Verdict verdict(JobAnswer<Row, Finding> answer) {
    Ranked<Row> fullest = answer.finding().fullest();
    Ranked<Row> unexplained = answer.finding().unexplained();
    List<Sentence> details = new ArrayList<>();
    List<Rank> freeUnknown = answer.finding().freeUnknown();
    if (!freeUnknown.isEmpty()) {
      details.add(
          Sentence.of(
              "The free memory of the GPU of {} is unknown and counts as unexplained: give"
                  + " --free or --smi.",
              JobWords.ranks(freeUnknown)));
    } else if (unexplained.found().unexplainedBytes() > 0) {
      details.add(
          Sentence.of(
              "{} is unexplained on {}{}.",
              bytes(unexplained.found().unexplainedBytes()),
              unexplained.rank().label(),
              answer.ranks().size() == 1 ? "" : ", the most of all ranks"));
    }
    details.add(
        Sentence.of(
            "Next: {} shows every part and where it comes from.",
            answer.next(fullest.rank()).line("account")));
    return new Verdict(
        Tone.NEUTRAL,
        Sentence.of(
            "{} reserves the most of its GPU, {} of {}.",
            JobWords.begin(fullest.rank()),
            bytes(fullest.found().account().reservedBytes()),
            bytes(fullest.found().account().totalBytes())),
        details);
  }
}
