package org.allocsim.reports.answer.tuning;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.part.Cost;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.LateStartPart;
import org.allocsim.reports.answer.part.Margin;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.run.RunResult;

/** What a search for settings comes to. */
final class TuneVerdict {
  private final TuneAnswer answer;
  private final Tuning tuning;

  /** Under the recorded settings; of a late recording from the start that all others have. */
  private final RunResult before;

  TuneVerdict(TuneAnswer answer) {
    this.answer = answer;
    tuning = answer.tuning();
    before = tuning.before();
  }

  Verdict make() {
    return outcome().with(List.of(answer.next().diagnose()));
  }

  private Verdict outcome() {
    Quantity held = exactBytes(tuning.demand().peakRequestedBytes());
    Quantity limit = exactBytes(tuning.plain().scenario().maxBytes());
    if (tuning.isHopeless()) {
      Sentence hopeless =
          Sentence.of(
              "No setting helps: the program needs {} at its peak, but the allocator can have only"
                  + " {}.",
              held,
              limit);
      Sentence missing =
          Sentence.of(
              "Save at least {} or use a larger GPU or limit; {} finds out how large.",
              bytes(tuning.demand().peakRequestedBytes() - tuning.plain().scenario().maxBytes()),
              answer.next().line("min-capacity"));
      return new Verdict(Tone.BAD, hopeless, List.of(missing));
    }
    if (tuning.recommended().isPresent()) {
      Tuning.Entry best = tuning.recommended().get();
      return verdict(best.result().passes() ? Tone.GOOD : Tone.BAD, best, gain(best));
    }
    if (tuning.allFail()) {
      Sentence all =
          Sentence.of(
              "Every setting tried runs out of memory, although the program needs only {} of {} at"
                  + " its peak.",
              held,
              limit);
      return new Verdict(Tone.BAD, all);
    }
    if (tuning.fromSameStart().isPresent()) {
      return verdict(
          Tone.NEUTRAL,
          tuning.recorded(),
          Sentence.of(
              "Keep {}, which reserved at most {}: from the same start, no"
                  + " other safe setting saves more than 2 %.",
              Settings.recorded(tuning.recorded().conf()),
              bytes(tuning.recorded().result().peakReservedBytes())));
    }
    return verdict(
        Tone.NEUTRAL,
        tuning.recorded(),
        Sentence.of(
            "Keep {}: no other safe setting lowers the peak of {} by more" + " than 2 %.",
            Settings.recorded(tuning.recorded().conf()), bytes(before.peakReservedBytes())));
  }

  private Verdict verdict(Tone tone, Tuning.Entry entry, Sentence sentence) {
    return new Verdict(
        tone, sentence, details(entry), Settings.paste(entry.conf(), answer.version()));
  }

  private Sentence gain(Tuning.Entry best) {
    RunResult after = best.result();
    String name = Settings.inSentence(best.conf());
    String recorded = Settings.recorded(tuning.recorded().conf());
    if (!after.passes()) {
      return Sentence.of(
          "{} gets furthest, but {}; with {}, {}.",
          name,
          FirstFailure.fails(after),
          recorded,
          FirstFailure.fails(before));
    }
    if (!before.passes()) {
      return Sentence.of(
          "Set {}: every request succeeds, with at most {} reserved; with {}, {}.",
          name,
          bytes(after.peakReservedBytes()),
          recorded,
          FirstFailure.fails(before));
    }
    boolean isLate = tuning.fromSameStart().isPresent();
    return Sentence.of(
        "Set {}: {}PyTorch reserves at most {} instead of {} with {}{}; that" + " is {} less.",
        name,
        isLate ? "from the same start, " : "",
        bytes(after.peakReservedBytes()),
        bytes(before.peakReservedBytes()),
        recorded,
        isLate
            ? Sentence.of(
                ", which reserved {} in the recording",
                bytes(tuning.recorded().result().peakReservedBytes()))
            : "",
        Quantity.share(
            before.peakReservedBytes() - after.peakReservedBytes(), before.peakReservedBytes()));
  }

  private List<Sentence> details(Tuning.Entry entry) {
    List<Sentence> details = new ArrayList<>();
    details.add(
        Sentence.of(
            "The program itself needs {} at its peak; no setting can reserve less.",
            exactBytes(tuning.demand().peakRequestedBytes())));
    tuning.lateStart().map(LateStartPart::sentence).ifPresent(details::add);
    if (entry.result().passes()) {
      details.addAll(
          Margin.sentences(
              entry.result(),
              answer.recordedConditions(),
              tuning.recommendation().copies(),
              answer.next()));
      Margin.passedOver(tuning.recommendation()).ifPresent(details::add);
    }
    if (!entry.equals(tuning.recorded())) {
      details.add(Cost.sentence(entry, tuning.recorded()));
    }
    details.add(Sentence.of("{} settings were compared.", count(tuning.ranked().size())));
    entry.findings().forEach(finding -> details.add(Sentence.of("{}", finding.message())));
    return details;
  }
}
