package org.allocsim.reports.answer.job;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.job.JobTuning;
import org.allocsim.analysis.job.RankTuning;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.answer.job.TuneJob.Row;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/** {@code tune} of a job: settings for all ranks. */
public final class TuneJob extends JobView<TuneAnswer, Row, JobTuning> {
  /**
   * A rank.
   *
   * @param device index of the recorded device
   * @param version whose rules applied
   * @param tuning what its settings come to
   */
  public record Row(int device, PyTorchVersion version, RankTuning tuning) {}

  private static final Shape<Row> ROW =
      Shape.of(rank ->
          rank.term(Columns.DEVICE_INDEX, Row::device)
              .term(Columns.TORCH_VERSION, each -> each.version().id())
              .embed(outcome(), Row::tuning));

  public static final Kind<JobAnswer<Row, JobTuning>> KIND =
      JobAnswer.kind("tune", "settings for all ranks, the best first", ROW, SettingsPart.SHAPE);

  private final Platform platform;
  private final int top;

  /**
   * The question.
   *
   * @param platform where the job is to run
   * @param top rows of the table on paper, 0 for all
   */
  public TuneJob(Platform platform, int top) {
    super(KIND, ROW);
    this.platform = platform;
    this.top = top;
  }

  /** What the settings that are its own come to on a rank. */
  static Shape<RankTuning> outcome() {
    return Shape.of(rank ->
        rank.term(Columns.RECORDED_CONF, "recorded setting", each -> each.recorded().conf())
            .worded(each -> Settings.name(each.recorded().conf()))
            .rank(2)
            .embed(FirstFailure.of((RankTuning each) -> each.recorded().failure()))
            .shown(
                Unit.TEXT,
                "out of memory",
                "Whether a request fails with these settings.",
                each -> SettingsPart.failure(each.recorded()).toString())
            .bytes(
                "peak_reserved_bytes",
                "peak reserved",
                "Peak of memory reserved from the device with these settings.",
                each -> each.recorded().peakReservedBytes())
            .term(Columns.PEAK_REQUESTED_BYTES, RankTuning::heldBytes)
            .bytes(
                "available_bytes",
                "of",
                "The most memory its allocator can use.",
                RankTuning::maxBytes)
            .rank(1)
            .text(
                "best_conf",
                "best for it alone",
                "The best setting for this rank alone; the recorded one if no other is better.",
                RankTuning::bestConf)
            .worded(each -> Settings.name(each.bestConf()))
            .rank(3));
  }

  @Override
  public Row keep(TuneAnswer answer) {
    return new Row(
        answer.deviceIndex(),
        answer.version(),
        RankTuning.of(answer.tuning(), answer.recordedConditions()));
  }

  @Override
  public JobTuning fold(List<Ranked<Row>> ranks) {
    return JobTuning.of(Ranked.map(ranks, Row::tuning));
  }

  @Override
  public NextCommand next(NextCommand same) {
    return same.on(platform);
  }

  @Override
  Verdict verdict(JobAnswer<Row, JobTuning> answer) {
    JobTuning tuning = answer.finding();
    List<Sentence> sentences = new ArrayList<>(SettingsPart.sentences(tuning));
    sentences.add(
        tuning.notOnAll() == 0
            ? Sentence.of("{} settings were compared on every rank.", tuning.ranked().size())
            : Sentence.of(
                "{} settings were compared on every rank; {} more apply only to some ranks, such as"
                    + " those with a limit.",
                tuning.ranked().size(),
                tuning.notOnAll()));
    sentences.add(JobWords.diagnose(answer.next()));
    return new Verdict(
        !tuning.best().passes()
            ? Tone.BAD
            : tuning.recommended().isPresent() ? Tone.GOOD : Tone.NEUTRAL,
        sentences.getFirst(),
        sentences.subList(1, sentences.size()),
        SettingsPart.paste(tuning, answer.ranks().getFirst().found().version()));
  }

  @Override
  List<Block> blocks(JobAnswer<Row, JobTuning> answer) {
    return List.of(SettingsPart.table(answer.finding(), top, "--top 0 shows all"));
  }

  @Override
  boolean holds(JobTuning tuning) {
    return tuning.ranked().stream().anyMatch(setting -> setting.passes()) || tuning.best().passes();
  }
}
