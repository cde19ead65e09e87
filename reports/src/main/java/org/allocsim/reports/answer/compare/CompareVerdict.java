package org.allocsim.reports.answer.compare;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.LateStart;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.analysis.tuning.Recommendation;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.part.Cost;
import org.allocsim.reports.answer.part.FirstFailure;
import org.allocsim.reports.answer.part.LateStartPart;
import org.allocsim.reports.answer.part.Margin;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.RunResult;
import org.jspecify.annotations.Nullable;

/** What the comparison on one trace comes to. */
final class CompareVerdict {
  private static final String CONF = "conf";

  private final List<RunResult> results;
  private final Optional<RunResult> recorded;
  private final Optional<RunResult> best;
  private final Optional<Tuning> tuning;
  private final Optional<LateStart> lateStart;
  private final PyTorchVersion version;
  private final boolean isConfKnown;
  private final long neededBytes;
  private final RecordedConditions recordedConditions;
  private final NextCommand next;

  private CompareVerdict(ComparedTrace compared) {
    version = compared.release();
    isConfKnown = compared.conf() != null;
    neededBytes =
        Demand.of(compared.trace(), compared.device(), AllocatorConfig.DEFAULT)
            .peakRequestedBytes();
    recordedConditions = compared.recordedConditions();
    next = compared.next();
    results = compared.results().stream().filter(RunResult::isRun).toList();
    List<RunResult> settings = results.stream().filter(CompareVerdict::isPyTorch).toList();
    String recordedConf = compared.conf() == null ? "" : compared.conf();
    recorded = settings.stream().filter(each -> conf(each).equals(recordedConf)).findFirst();
    tuning = Optional.ofNullable(compared.tuning());
    lateStart = compared.lateStart();
    best =
        settings.stream()
            .filter(RunResult::passes)
            .filter(
                each -> tuning.isEmpty() || conf(each).equals(tuning.orElseThrow().best().conf()))
            .findFirst();
  }

  static Verdict of(CompareAnswer answer, ComparedTrace trace) {
    return new CompareVerdict(trace).make().with(List.of(trace.next().diagnose()));
  }

  private static boolean isPyTorch(RunResult result) {
    return result.choice().provider().spec().id().equals(Program.PYTORCH);
  }

  private static String conf(RunResult result) {
    return result.choice().options().getOrDefault(CONF, "");
  }

  private Verdict make() {
    if (results.isEmpty()) {
      Sentence none = Sentence.of("None of the allocators can run this trace.");
      return new Verdict(Verdict.Tone.NEUTRAL, none);
    }
    if (neededBytes > recordedConditions.maxBytes()) {
      return bad(
          Sentence.of(
              "No allocator can fit this program: it needs {} at its peak, but only {} is"
                  + " available.",
              bytes(neededBytes),
              bytes(recordedConditions.maxBytes())));
    }
    if (recorded.isEmpty()) {
      return withoutRecorded();
    }
    RunResult now = recorded.get();
    if (best.isEmpty()) {
      return bad(
          Sentence.of("Out of memory with every PyTorch setting compared; {}.", failure(now)));
    }
    RunResult then = best.get();
    if (!now.passes()) {
      return setting(
          Verdict.Tone.GOOD,
          then,
          Sentence.of(
              "Set {}: every request succeeds, with at most {} reserved; with {}, {}.",
              Settings.inSentence(conf(then)),
              bytes(then.peakReservedBytes()),
              nowName(now),
              failure(now)));
    }
    boolean isLate = tuning.flatMap(Tuning::fromSameStart).isPresent();
    long beforeBytes = now.peakReservedBytes();
    long savedBytes = beforeBytes - then.peakReservedBytes();
    if (then.equals(now) || tuning.isEmpty() && !Recommendation.isBetter(then, now)) {
      return setting(
          Verdict.Tone.NEUTRAL,
          now,
          isLate
              ? Sentence.of(
                  "Keep {}: starting from the recording's initial blocks, no setting compared"
                      + " saves more than 2 %.",
                  nowName(now))
              : Sentence.of(
                  "Keep {}: no setting compared lowers its peak of {} by more than 2 %.",
                  nowName(now), bytes(beforeBytes)));
    }
    if (isLate) {
      return setting(
          Verdict.Tone.GOOD,
          then,
          Sentence.of(
              "Set {}: starting from the recording's initial blocks, PyTorch reserves at most {};"
                  + " {} compares it with the recorded settings from the same start.",
              Settings.inSentence(conf(then)),
              bytes(then.peakReservedBytes()),
              next.line("tune")));
    }
    return setting(
        Verdict.Tone.GOOD,
        then,
        Sentence.of(
            "Set {}: PyTorch reserves at most {} instead of {}, {} less.",
            Settings.inSentence(conf(then)),
            bytes(then.peakReservedBytes()),
            bytes(beforeBytes),
            Quantity.share(savedBytes, beforeBytes)));
  }

  private Verdict withoutRecorded() {
    RunResult winner =
        results.stream()
            .filter(KeyRuns::isAllocator)
            .min(ComparedTrace.RANK)
            .orElseGet(results::getFirst);
    if (!winner.passes()) {
      return bad(
          Sentence.of(
              "Out of memory with every allocator compared; with {}, {}.",
              winner.choice().label(),
              failure(winner)));
    }
    return new Verdict(
        Verdict.Tone.NEUTRAL,
        Sentence.of(
            "{} reserves the least: at most {}, for {} of requested memory.",
            winner.choice().label(),
            bytes(winner.peakReservedBytes()),
            bytes(winner.peakRequestedBytes())),
        details(winner));
  }

  private Verdict bad(Sentence sentence) {
    return new Verdict(Verdict.Tone.BAD, sentence, details(null));
  }

  private Verdict setting(Verdict.Tone tone, RunResult chosen, Sentence sentence) {
    return new Verdict(tone, sentence, details(chosen), Settings.paste(conf(chosen), version));
  }

  /** The settings that hold without a change; a recording may not tell which they were. */
  private String nowName(RunResult now) {
    return isConfKnown ? Settings.recorded(conf(now)) : Settings.inSentence(conf(now));
  }

  private static Sentence failure(RunResult result) {
    return FirstFailure.fails(result);
  }

  private static Sentence cost(RunResult chosen, RunResult now) {
    return Sentence.of(
        "Cost: {} instead of {}, {} in the driver instead of {} (modelled, without waiting for the"
            + " device).",
        count(chosen.driverCalls(), "driver call"),
        count(now.driverCalls()),
        Quantity.nanos(chosen.driverNanos()),
        Quantity.nanos(now.driverNanos()));
  }

  /** Facts around a result, which may be null. */
  private List<Sentence> details(@Nullable RunResult chosen) {
    List<Sentence> details = new ArrayList<>();
    details.add(
        Sentence.of("The program itself needs {} at its peak.", Quantity.exactBytes(neededBytes)));
    lateStart.map(LateStartPart::sentence).ifPresent(details::add);
    if (chosen != null) {
      Optional<Tuning> searched = tuning.filter(found -> conf(chosen).equals(found.best().conf()));
      details.addAll(
          Margin.sentences(
              chosen,
              recordedConditions,
              searched.flatMap(found -> found.recommendation().copies()),
              next));
      recorded
          .filter(now -> !now.equals(chosen))
          .ifPresent(now ->
              details.add(
                  searched
                      .map(found -> Cost.sentence(found.best(), found.recorded()))
                      .orElseGet(() -> cost(chosen, now))));
      details.add(
          Sentence.of(
              "At the reserved peak, {} is lost to rounding and {} is cached but unused.",
              bytes(chosen.atPeak().internalBytes()),
              bytes(chosen.atPeak().externalBytes())));
    }
    results.stream()
        .filter(KeyRuns::isAllocator)
        .filter(RunResult::passes)
        .min(Comparator.comparingLong(RunResult::peakReservedBytes))
        .filter(each -> !each.equals(chosen))
        .ifPresent(each ->
            details.add(
                Sentence.of(
                    "Of all allocators compared, {} reserves the least: {}, with {} in the driver.",
                    each.choice().label(),
                    bytes(each.peakReservedBytes()),
                    Quantity.nanos(each.driverNanos()))));
    long failed = results.stream().filter(each -> !each.passes()).count();
    if (failed > 0) {
      details.add(
          Sentence.of("Out of memory: {} of {} runs.", count(failed), count(results.size())));
    }
    return details;
  }
}
