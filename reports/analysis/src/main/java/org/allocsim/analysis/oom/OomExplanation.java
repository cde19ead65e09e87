package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.allocsim.analysis.oom.engine.EngineAdvice;
import org.allocsim.analysis.oom.engine.EngineChange;
import org.allocsim.analysis.oom.engine.EngineFigure;
import org.allocsim.analysis.oom.engine.EngineLog;
import org.allocsim.analysis.oom.engine.Printed;

/**
 * The verdict on one message, its arithmetic, and what follows from it.
 *
 * @param message what was explained
 * @param verdict the verdict by the numbers as printed
 * @param possible every verdict that the numbers allow before they were rounded; at least {@code
 *     verdict}
 * @param headline the verdict in a clause
 * @param account where the GPU's memory is; empty where the message does not say
 * @param table the table of {@code torch.cuda.memory_summary()} that belongs to it
 * @param equation the calculation behind the verdict, "" where there is none
 * @param leftOver what perfect packing would leave over after the request; negative: what is short;
 *     empty where the message does not say
 * @param other memory of the GPU that is neither PyTorch's nor free; empty where the message does
 *     not say, or where more is allocated than the GPU holds
 * @param nearlyFull whether the request would fit with perfect packing and hardly anything after it
 * @param largeOther whether memory outside PyTorch is more than a context explains
 * @param findings what else the numbers show
 * @param helps what can help
 * @param cannotHelp what cannot, and why
 * @param engine what the log of an inference engine says; empty where none wrote it
 * @param changes options of the engine that would have helped
 */
public record OomExplanation(
    OomMessage message,
    OomVerdict verdict,
    Set<OomVerdict> possible,
    String headline,
    Optional<GpuAccount> account,
    Optional<SummaryTable> table,
    String equation,
    Optional<ByteRange> leftOver,
    Optional<ByteRange> other,
    boolean nearlyFull,
    boolean largeOther,
    List<String> findings,
    List<String> helps,
    List<String> cannotHelp,
    Optional<EngineLog.Figures> engine,
    List<EngineChange> changes) {
  /** Takes copies. */
  public OomExplanation {
    possible = Collections.unmodifiableSet(EnumSet.copyOf(possible));
    findings = List.copyOf(findings);
    helps = List.copyOf(helps);
    cannotHelp = List.copyOf(cannotHelp);
    changes = List.copyOf(changes);
  }

  /** The same, with what the engine's log shows and what its options could do about it. */
  OomExplanation inEngine(Optional<EngineLog.Figures> figures) {
    List<EngineChange> helping = figures.map(this::changes).orElse(List.of());
    List<String> all = new ArrayList<>(helping.stream().map(EngineChange::sentence).toList());
    all.addAll(helps);
    Optional<String> full = figures.flatMap(this::tooLargeABuffer);
    return new OomExplanation(
        message,
        full.isPresent() ? OomVerdict.FULL : verdict,
        full.isPresent() ? Set.of(OomVerdict.FULL) : possible,
        full.orElse(headline),
        account,
        table,
        equation,
        leftOver,
        other,
        nearlyFull,
        largeOther,
        findings,
        all,
        cannotHelp,
        figures,
        helping);
  }

  /** ggml prints what was free before the model, and what it allocated since. */
  private Optional<String> tooLargeABuffer(EngineLog.Figures figures) {
    if (verdict != OomVerdict.UNKNOWN) {
      return Optional.empty();
    }
    Optional<Printed> buffer = figures.of(EngineFigure.BUFFER);
    return EngineAdvice.leftForBuffer(figures)
        .filter(left -> buffer.isPresent() && left.high() < buffer.get().low())
        .map(left ->
            "a buffer of %s does not fit into the %s that the log leaves free on the GPU"
                .formatted(
                    EngineAdvice.describe(buffer.orElseThrow().value()),
                    EngineAdvice.describe(Math.max(0, left.value()))));
  }

  private List<EngineChange> changes(EngineLog.Figures figures) {
    if (verdict == OomVerdict.HOST) {
      return List.of();
    }
    if (!message.wording().isPyTorch()) {
      return EngineAdvice.atStart(figures);
    }
    double shortBytes = leftOver.map(left -> -left.low()).orElse(0.0);
    double gpuBytes = message.bytes(OomMessage.Amount.CAPACITY).map(ByteRange::low).orElse(0.0);
    return shortBytes > 0 && gpuBytes > 0
        ? EngineAdvice.beside(figures, shortBytes, gpuBytes)
        : List.of();
  }

  /** Whether the printed numbers allow one verdict only. */
  public boolean isCertain() {
    return possible.size() == 1;
  }
}
