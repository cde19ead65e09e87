package org.allocsim.analysis.oom;

import static org.allocsim.analysis.oom.PrintedSize.describe;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.jspecify.annotations.Nullable;

/**
 * Decides why a request failed.
 *
 * <p>Where the words alone decide ({@link Wording#verdict()}), they do. Else the rules are tried in
 * this order: IMPOSSIBLE if the request is larger than the GPU; SPILLED if more is allocated than
 * the GPU holds; CAPPED if a limit is printed, or in 2.1 not printed, that may refuse the request
 * while the GPU could serve it; NOT-ALLOCATOR if the driver's free memory clearly exceeds the
 * request; POOL if the free blocks of private pools would do and the cache would not; FULL if free
 * memory with the cache is smaller than the request; else FRAGMENTED. FULL and FRAGMENTED become
 * ELSEWHERE where others hold what is short. Where both the limit and the GPU refuse, the limit
 * alone is not the cause: what is left below the limit then takes the place of the GPU's free
 * memory where it is less.
 *
 * <p>Every printed number is an interval, because it was rounded. The verdict is that of the
 * printed numbers; the verdicts that other numbers of the intervals would get are reported, too.
 */
public final class OomExplainer {
  /** A context with its libraries; memory of others above this is a finding. */
  private static final double LARGE_OTHER_BYTES = 2 * 0x1p30;

  /** Left over after the request, of the GPU, below which the GPU counts as nearly full. */
  private static final double NEARLY_FULL_SHARE = 0.04;

  /** More than any single GPU has. */
  private static final ByteRange LARGEST_GPU = exactly(0x1p40);

  /** What a context with its libraries may take of a GPU. */
  private static final double CONTEXT_BYTES = 0.8 * 0x1p30;

  private final OomMessage message;
  private final OomSettings settings;
  private final boolean windows;
  private final @Nullable ByteRange request;
  private final @Nullable ByteRange capacity;
  private final @Nullable ByteRange free;
  private final @Nullable ByteRange allocated;
  private final @Nullable ByteRange cached;
  private final @Nullable ByteRange pools;

  /** What the limit leaves, null without one. */
  private final @Nullable ByteRange allowance;

  private final List<String> findings = new ArrayList<>();

  /** Null without one. */
  private final @Nullable SummaryTable table;

  private OomExplainer(
      OomMessage printed, @Nullable SummaryTable table, OomSettings settings, boolean windows) {
    this.table = table;
    SummaryFindings summary = new SummaryFindings(printed, table);
    message = summary.completed();
    findings.addAll(summary.sentences());
    this.settings = settings;
    this.windows = windows;
    request = message.bytes(Amount.REQUEST).orElse(null);
    capacity = message.bytes(Amount.CAPACITY).orElse(null);
    free = message.bytes(Amount.FREE).orElse(null);
    allocated = message.bytes(Amount.ALLOCATED).orElse(null);
    cached = message.cached().orElse(null);
    pools = message.bytes(Amount.PRIVATE_POOLS).orElse(null);
    ByteRange held = allocated == null || cached == null ? allocated : allocated.plus(cached);
    allowance =
        held == null
            ? null
            : message
                .bytes(Amount.LIMIT)
                .map(each -> each.minus(held))
                .map(each -> message.bytes(Amount.OTHER_ALLOCATIONS).map(each::minus).orElse(each))
                .orElse(null);
  }

  /**
   * Explains a message.
   *
   * @param settings the allocator settings of the run, as far as known
   * @param windows whether the run was on Windows, as far as known
   */
  public static OomExplanation explain(OomMessage message, OomSettings settings, boolean windows) {
    return explain(message, Optional.empty(), settings, windows);
  }

  /**
   * Explains a message with the table of {@code torch.cuda.memory_summary()} that belongs to it:
   * the table shows where the cache lies, and fills in for sizes that the message lacks.
   */
  public static OomExplanation explain(
      OomMessage message, Optional<SummaryTable> table, OomSettings settings, boolean windows) {
    return new OomExplainer(message, table.orElse(null), settings, windows).explain();
  }

  private OomExplanation explain() {
    Set<OomVerdict> possible = EnumSet.noneOf(OomVerdict.class);
    OomVerdict verdict = decide(possible);
    possible.add(verdict);
    Optional<ByteRange> leftOver = leftOver(verdict);
    Optional<ByteRange> other = other();
    boolean largeOther = other.isPresent() && other.get().value() > LARGE_OTHER_BYTES;
    boolean nearlyFull =
        verdict == OomVerdict.FRAGMENTED
            && !largeOther
            && cached != null
            && capacity != null
            && leftOver.orElseThrow().value() < NEARLY_FULL_SHARE * capacity.value();
    findRounding(verdict, possible);
    boolean ownOther = isMostlyOfThisProcess(other);
    new OomFindings(message, allowance, leftOver.orElse(null), other.orElse(null))
        .addTo(findings, verdict, largeOther, ownOther);
    OomAdvice advice =
        new OomAdvice(
            message, settings, windows || message.processesHidden(), leftOver.orElse(null));
    advice.of(verdict, nearlyFull, other.orElse(null), largeOther, ownOther);
    return new OomExplanation(
        message,
        verdict,
        possible,
        headline(verdict, leftOver, other, nearlyFull, largeOther),
        GpuAccount.of(message),
        Optional.ofNullable(table),
        equation(verdict, leftOver),
        leftOver,
        other,
        nearlyFull,
        largeOther,
        findings,
        advice.helps(),
        advice.cannotHelp(),
        Optional.empty(),
        List.of());
  }

  /** By how much the request and what is allocated exceed the GPU. */
  private double beyondBytes() {
    return Objects.requireNonNull(allocated)
        .plus(Objects.requireNonNull(request))
        .minus(Objects.requireNonNull(capacity))
        .value();
  }

  /** The verdict by the printed numbers; collects those of other numbers they may stand for. */
  private OomVerdict decide(Set<OomVerdict> possible) {
    OomVerdict ofWords = message.wording().verdict();
    if (ofWords != null) {
      return ofWords;
    }
    if (request == null) {
      // Metal prints its watermark only where it is what refuses.
      return message.wording() == Wording.MPS && allowance != null
          ? OomVerdict.CAPPED
          : OomVerdict.UNKNOWN;
    }
    Decision decision = new Decision(possible);
    decision.rule(
        OomVerdict.IMPOSSIBLE, request.minus(capacity == null ? LARGEST_GPU : capacity), false);
    if (message.wording() == Wording.TPU_HEAP && free != null) {
      decision.rule(OomVerdict.FULL, request.minus(free), false);
      return decision.otherwise(OomVerdict.FRAGMENTED);
    }
    if (capacity != null && allocated != null) {
      decision.rule(OomVerdict.SPILLED, allocated.minus(capacity), false);
    }
    limit(decision);
    ByteRange packed = leftOver(null).orElse(null);
    if (free != null) {
      double marginBytes = Math.max(8 * 0x1p20, capacity == null ? 0 : capacity.value() / 1000);
      decision.rule(
          OomVerdict.NOT_ALLOCATOR, free.minus(request).minus(exactly(marginBytes)), true);
    }
    if (packed == null) {
      if (capacity != null && allocated != null) {
        decision.rule(OomVerdict.FULL, allocated.plus(request).minus(capacity), false);
      }
      return decision.otherwise(OomVerdict.UNKNOWN);
    }
    if (cached == null) {
      // The driver's pool may hold any part of what is neither allocated nor free.
      decision.rule(OomVerdict.FULL, packed.negated(), false);
      decision.rule(OomVerdict.UNKNOWN, exactly(CONTEXT_BYTES).minus(packed), false);
      possible.add(OomVerdict.FULL);
      return decision.otherwise(OomVerdict.FRAGMENTED);
    }
    pools(decision, packed);
    // The driver refused although hardly too little was free: then the cache has to serve.
    decision.rule(
        OomVerdict.FULL,
        packed.value() >= 0 && free != null && free.value() >= request.value()
            ? request.minus(cached)
            : packed.negated(),
        false);
    OomVerdict verdict = decision.otherwise(OomVerdict.FRAGMENTED);
    if (isElsewhere(verdict, packed, possible)) {
      possible.remove(verdict);
      return OomVerdict.ELSEWHERE;
    }
    return verdict;
  }

  /** A limit that may have refused the request, within the rounding, did if the GPU could serve. */
  private void limit(Decision decision) {
    ByteRange limit = message.bytes(Amount.LIMIT).orElse(null);
    if (request == null || free != null && free.value() < request.value()) {
      return;
    }
    if (limit == null) {
      if (isHiddenLimit()) {
        decision.ruleHolds(OomVerdict.CAPPED, false);
      }
    } else if (allowance != null
        && (free == null ? capacity == null : cached != null || isDriversPool())) {
      if (request.high() > allowance.low()) {
        decision.ruleHolds(OomVerdict.CAPPED, request.low() > allowance.high());
      }
    } else if (free != null && capacity != null && limit.high() < capacity.low()) {
      decision.ruleHolds(OomVerdict.CAPPED, true);
    }
  }

  /**
   * Whether a round fraction of the GPU explains why a small request failed with much free: PyTorch
   * 2.1 does not print its limit.
   */
  private boolean isHiddenLimit() {
    if (message.wording() != Wording.V2_1
        || request == null
        || capacity == null
        || free == null
        || allocated == null
        || cached == null
        || request.value() > 0.02 * capacity.value()
        || free.value() - request.value() < 0.1 * capacity.value()) {
      return false;
    }
    ByteRange held = allocated.plus(cached);
    double bound = Math.ceil(20 * held.value() / capacity.value()) / 20 * capacity.value();
    return held.value() > 0 && bound < held.value() + request.value();
  }

  private void pools(Decision decision, ByteRange packed) {
    if (pools == null || free == null || request == null || cached == null) {
      return;
    }
    ByteRange withPools = headroom(free, request, allowance).plus(pools).minus(request);
    decision.rule(
        OomVerdict.POOL, pools.minus(request).smaller(pools.minus(cached)), packed.value() < 0);
    decision.rule(OomVerdict.POOL, withPools.smaller(packed.negated()), packed.value() < 0);
  }

  /**
   * Whether others hold what is short: more than a context takes, of a GPU that is full; or half of
   * the GPU, or much of it where the rounding does not show whether the cache would do.
   */
  private boolean isElsewhere(OomVerdict verdict, ByteRange packed, Set<OomVerdict> possible) {
    ByteRange others = other().orElse(null);
    if (others == null
        || capacity == null
        || others.value() < Math.max(0x1p30, capacity.value() / 10)) {
      return false;
    }
    return switch (verdict) {
      case FULL -> others.low() - CONTEXT_BYTES >= -packed.low();
      case FRAGMENTED ->
          others.value() >= capacity.value() / 2
              || possible.contains(OomVerdict.FULL) && others.value() - CONTEXT_BYTES > 0;
      default -> false;
    };
  }

  private static ByteRange exactly(double bytes) {
    return new ByteRange(bytes, bytes, bytes);
  }

  /** What the driver, and the limit where it is lower, would still have given. */
  private static ByteRange headroom(
      ByteRange free, ByteRange request, @Nullable ByteRange allowance) {
    return allowance == null || free.value() >= request.value() ? free : free.smaller(allowance);
  }

  private Optional<ByteRange> leftOver(@Nullable OomVerdict verdict) {
    if (message.wording() == Wording.TPU_HEAP) {
      return request == null || free == null ? Optional.empty() : Optional.of(free.minus(request));
    }
    if (request == null || allocated == null || verdict == OomVerdict.SPILLED) {
      return Optional.empty();
    }
    ByteRange room = null;
    if (cached != null) {
      ByteRange below = free == null ? null : headroom(free, request, allowance);
      room = verdict == OomVerdict.CAPPED ? allowance : below;
    } else if (isDriversPool() && verdict == OomVerdict.CAPPED) {
      room = allowance;
    } else if (capacity != null
        && (isDriversPool() && free != null || verdict == OomVerdict.FULL)) {
      room = capacity.minus(allocated);
    }
    return room == null
        ? Optional.empty()
        : Optional.of((cached == null ? room : room.plus(cached)).minus(request));
  }

  private boolean isDriversPool() {
    return message.wording() == Wording.ASYNC || message.wording() == Wording.CU_ASYNC;
  }

  private Optional<ByteRange> other() {
    if (capacity == null || free == null || allocated == null || cached == null) {
      return Optional.empty();
    }
    return allocated.value() > capacity.value()
        ? Optional.empty()
        : Optional.of(capacity.minus(allocated).minus(cached).minus(free));
  }

  /** Whether the failing process itself holds most of what is neither PyTorch's nor free. */
  private boolean isMostlyOfThisProcess(Optional<ByteRange> other) {
    Optional<ByteRange> own = message.bytes(Amount.THIS_PROCESS);
    return other.isPresent()
        && own.isPresent()
        && allocated != null
        && cached != null
        && own.get().minus(allocated).minus(cached).value() > other.get().value() / 2;
  }

  private void findRounding(OomVerdict verdict, Set<OomVerdict> possible) {
    if (possible.size() == 1) {
      return;
    }
    StringJoiner others = new StringJoiner(" or ");
    possible.stream().filter(each -> each != verdict).forEach(each -> others.add(each.word()));
    findings.add(
        isDriversPool()
            ? "The message does not print how much the driver's pool caches; if it is little, the"
                + " verdict is "
                + others
                + "."
            : "The verdict depends on the rounding of the printed numbers: "
                + others
                + " is also possible.");
  }

  private String headline(
      OomVerdict verdict,
      Optional<ByteRange> leftOver,
      Optional<ByteRange> other,
      boolean nearlyFull,
      boolean largeOther) {
    if (message.wording().verdict() != null && message.bytes(Amount.LIMIT).isEmpty()) {
      return message.wording().cause();
    }
    return switch (verdict) {
      case IMPOSSIBLE ->
          "the request of "
              + text(Amount.REQUEST)
              + (capacity == null
                  ? " is larger than any GPU"
                  : " is larger than the whole GPU (" + text(Amount.CAPACITY) + ")");
      case SPILLED ->
          text(Amount.ALLOCATED)
              + " is allocated on a GPU with "
              + text(Amount.CAPACITY)
              + ": the driver has spilled to system RAM, which is exhausted";
      case CAPPED ->
          message.bytes(Amount.LIMIT).isEmpty()
              ? "a memory fraction explains the failure, although PyTorch 2.1 does not print it:"
                  + " the GPU had "
                  + text(Amount.FREE)
                  + " free"
              : "the request would exceed the allocator's own limit of "
                  + text(Amount.LIMIT)
                  + ", not the GPU's memory"
                  + (free == null ? "" : " (" + text(Amount.FREE) + " free)");
      case NOT_ALLOCATOR ->
          ("the GPU had %s free for a request of %s: the driver failed, not the allocator or its"
                  + " settings")
              .formatted(text(Amount.FREE), text(Amount.REQUEST));
      case POOL ->
          text(Amount.PRIVATE_POOLS)
              + " is free inside private pools (CUDA graphs, MemPool), which this request cannot"
              + " use";
      case FULL ->
          "no allocator setting can fix this: "
              + describe(
                  Math.max(0, leftOver.map(left -> -left.value()).orElseGet(this::beyondBytes)))
              + " short even with perfect packing";
      case FRAGMENTED ->
          "perfect packing would leave "
              + (isDriversPool() ? "at most " : "")
              + describe(leftOver.orElseThrow().value())
              + " over"
              + (nearlyFull ? "; the GPU is nearly full" : "")
              + (largeOther
                  ? "; " + describe(other.orElseThrow().value()) + " is memory outside PyTorch"
                  : "");
      case ELSEWHERE ->
          "%s of the GPU's %s is held by other processes or outside the allocator"
              .formatted(describe(other.orElseThrow().value()), text(Amount.CAPACITY));
      case HOST -> message.wording().cause();
      case UNKNOWN -> unknown();
    };
  }

  private String unknown() {
    if (!message.wording().isPyTorch() && request != null) {
      boolean isPlain = text(Amount.REQUEST).endsWith(" bytes") && request.value() >= 0x1p20;
      return "the request of "
          + text(Amount.REQUEST)
          + (isPlain ? " (" + describe(request.value()) + ")" : "")
          + " failed"
          + (free == null ? "" : " with " + text(Amount.FREE) + " free")
          + "; the text does not say what holds the GPU's memory";
    }
    return missing().isEmpty()
        ? "the message does not show what holds the GPU's memory"
        : "the message does not contain " + missing() + ", so the cause remains unknown";
  }

  private String missing() {
    List<String> names = new ArrayList<>();
    if (request == null) {
      names.add("the request");
    }
    if (free == null) {
      names.add("the free memory");
    }
    if (allocated == null) {
      names.add("the allocated memory");
    }
    if (isDriversPool()) {
      if (capacity == null) {
        names.add("the size of the GPU");
      }
    } else if (cached == null) {
      names.add("the reserved memory");
    }
    int last = names.size() - 1;
    return last < 1
        ? String.join("", names)
        : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }

  private String equation(OomVerdict verdict, Optional<ByteRange> leftOver) {
    if (leftOver.isEmpty() || verdict == OomVerdict.IMPOSSIBLE) {
      return "";
    }
    ByteRange packed = leftOver.get();
    String have;
    if (verdict == OomVerdict.CAPPED) {
      have = "limit " + text(Amount.LIMIT) + " - allocated " + text(Amount.ALLOCATED);
    } else if (message.wording() == Wording.TPU_HEAP) {
      have = "free " + text(Amount.FREE);
    } else if (cached == null) {
      have = "GPU " + text(Amount.CAPACITY) + " - allocated " + text(Amount.ALLOCATED);
    } else {
      have =
          (free == null
                      || request == null
                      || allowance == null
                      || headroom(free, request, allowance).equals(free)
                  ? "free " + text(Amount.FREE)
                  : "left below the limit " + describe(allowance.value()))
              + " + cached "
              + (message.amounts().containsKey(Amount.CACHED)
                  ? text(Amount.CACHED)
                  : describe(cached.value()));
    }
    return "%s - request %s = %s%s (± %s from rounding in the message)"
        .formatted(
            have,
            text(Amount.REQUEST),
            describe(Math.abs(packed.value())),
            packed.value() < 0 ? " short" : " left over",
            describe(packed.error()));
  }

  private String text(Amount amount) {
    return message.text(amount);
  }
}
