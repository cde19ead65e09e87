package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Keys;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.validation.gpu.AddressComparison;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.DriverTime;
import org.allocsim.validation.gpu.Exactness;
import org.allocsim.validation.gpu.HostSlowness;
import org.allocsim.validation.gpu.OomComparison;
import org.jspecify.annotations.Nullable;

/**
 * A case of {@code validate} and what came of it.
 *
 * @param trace file name without its folder
 * @param sha256 digest of the file
 * @param choice the policy
 * @param limitBytes the allocator's own limit, or −1
 * @param capacityBytes memory that was left free on purpose, or −1
 * @param nearLimit whether its limit was chosen near the smallest that suffices
 * @param notRunBecause why the policy was not run, or null
 * @param result null where it was not run
 */
public record ValidatedCase(
    String trace,
    @Nullable String sha256,
    PolicyChoice choice,
    long limitBytes,
    long capacityBytes,
    boolean nearLimit,
    @Nullable String notRunBecause,
    @Nullable CaseResult result) {
  private static final String NOT_RUN = "the case was not run";

  private static final Shape<Exactness> EXACTNESS =
      Shape.of(exactness ->
          exactness
              .term(Columns.COMPARED, Exactness::compared)
              .term(Columns.EXACT_COMPARISONS, Exactness::exact)
              .bytes("max_error_bytes", "Largest error.", Exactness::maxError)
              .meanBytes("mean_error_bytes", null, "Mean error.", Exactness::meanError)
              .missing("nothing was compared"));

  private static final Shape<AddressComparison> ADDRESSES =
      Shape.of(addresses ->
          addresses
              .term(Columns.COMPARED, AddressComparison::compared)
              .count(
                  "equal_relative",
                  "Addresses that are equal relative to their anchor.",
                  AddressComparison::equalRelative)
              .count(
                  "equal_absolute", "Addresses that are equal.", AddressComparison::equalAbsolute)
              .count("anchors", "First addresses of a kind of memory.", AddressComparison::anchors)
              .count(
                  "displaced_anchors",
                  "Anchors that are at a different address.",
                  AddressComparison::displacedAnchors)
              .number(
                  "kendall_tau", "Rank correlation of addresses.", AddressComparison::rankAgreement)
              .missing("there are too few"));

  private static final Shape<OomComparison> FAILURES =
      Shape.of(failures ->
          failures
              .text(
                  "verdict",
                  "neither, same_request, other_request, predicted_only or measured_only.",
                  each -> Keys.of(each.verdict()))
              .count(
                  "predicted_first",
                  "Index of the request predicted to fail first.",
                  each -> each.predictedFirst() < 0 ? null : each.predictedFirst())
              .missing("there is none")
              .count(
                  "measured_first",
                  "Index of the request that failed first.",
                  each -> each.measuredFirst() < 0 ? null : each.measuredFirst())
              .missing("there is none")
              .count(
                  "predicted_count", "Requests predicted to fail.", OomComparison::predictedCount)
              .count("measured_count", "Requests that failed.", OomComparison::measuredCount)
              .flag("same", "Whether the same requests failed.", OomComparison::same));

  private static final Shape<DriverTime.Kind> CALLS =
      Shape.of(calls ->
          calls
              .term(Columns.PREDICTED_CALLS, DriverTime.Kind::predictedCalls)
              .term(Columns.MEASURED_CALLS, DriverTime.Kind::measuredCalls)
              .nanos("predicted_nanos", "Predicted time.", DriverTime.Kind::predictedNanos)
              .term(Columns.MEASURED_NANOS, DriverTime.Kind::measuredNanos));

  private static final Shape<HostSlowness> SLOWNESS =
      Shape.of(slowness ->
          slowness
              .number("blocks", "Of `cuMemAlloc` and `cuMemFree`.", HostSlowness::blocks)
              .number("handles", "Of the virtual memory API.", HostSlowness::handles)
              .number("pool", "Of the stream-ordered pool.", HostSlowness::pool));

  private static final Shape<DriverTime> TIME =
      Shape.of(time ->
          time.nanos(
                  "profile_nanos",
                  "Predicted time on a host as fast as the profile's.",
                  DriverTime::profileNanos)
              .one(
                  "host_slowness",
                  "Time of the same calls on this host, just before and after, divided by the"
                      + " time in the profile.",
                  SLOWNESS,
                  DriverTime::hostSlowness)
              .nanos(
                  "predicted_nanos",
                  "Predicted time at the measured speed of this host.",
                  DriverTime::predictedNanos)
              .term(Columns.MEASURED_NANOS, DriverTime::measuredNanos)
              .ratio("ratio", "Predicted divided by measured time.", DriverTime::ratio)
              .missing("no calls were measured")
              .number("ratio_low", "Lower end of its 95 % interval.", DriverTime::lowRatio)
              .missing("there is none")
              .number("ratio_high", "Upper end of its 95 % interval.", DriverTime::highRatio)
              .missing("there is none")
              .named(
                  CALLS,
                  "calls",
                  "Calls by kind.",
                  "Calls of a kind.",
                  ValidatedCase::callsByKind));

  /** What came of a case. */
  static final Shape<CaseResult> RESULT =
      Shape.of(result ->
          result
              .text("profile", "Profile used for the prediction.", CaseResult::profile)
              .bytes(
                  "free_at_start_bytes",
                  "Free memory of the GPU at the start of the case.",
                  CaseResult::freeBytesAtStart)
              .bytes(
                  "capacity_bytes",
                  "Free memory of the simulated device.",
                  CaseResult::capacityBytes)
              .term(Columns.REQUESTS, CaseResult::requests)
              .term(Columns.PREDICTED_CALLS, CaseResult::predictedCalls)
              .term(Columns.MEASURED_CALLS, "calls", CaseResult::measuredCalls)
              .count(
                  "equal_calls",
                  "equal",
                  "Calls before the first one that differs.",
                  CaseResult::equalCalls)
              .term(Columns.FIRST_DIFFERENCE, CaseResult::firstDifference)
              .missing("none does")
              .count("failed_calls", "Calls that the driver failed.", CaseResult::refusedCalls)
              .flag(
                  "addresses_learned",
                  "Whether addresses were learned from the run itself.",
                  CaseResult::learned)
              .one(
                  "free_bytes",
                  "Free bytes after each call, predicted against measured.",
                  EXACTNESS,
                  CaseResult::freeBytes)
              .one(
                  "pool_reserved",
                  "Reserved bytes of the driver's pool, predicted against measured.",
                  EXACTNESS,
                  CaseResult::poolReserved)
              .one(
                  "pool_used",
                  "Used bytes of the driver's pool, predicted against measured.",
                  EXACTNESS,
                  CaseResult::poolUsed)
              .one(
                  "addresses",
                  "Addresses, predicted against measured.",
                  ADDRESSES,
                  CaseResult::addresses)
              .shown(
                  Unit.RATIO,
                  "free exact",
                  "Fraction of calls after which free bytes are right.",
                  each -> share(each.freeBytes().exact(), each.freeBytes().compared()))
              .rank(4)
              .shown(
                  Unit.RATIO,
                  "addresses",
                  "Fraction at the predicted address relative to its anchor.",
                  each -> share(each.addresses().equalRelative(), each.addresses().compared()))
              .rank(5)
              .shown(
                  Unit.RATIO,
                  "pool exact",
                  "Fraction of calls after which the pool's reserved bytes are right.",
                  each -> share(each.poolReserved().exact(), each.poolReserved().compared()))
              .rank(6)
              .shown(
                  Unit.TEXT,
                  "first failed request",
                  "Measured value, and whether it was predicted.",
                  each -> failures(each.failures()))
              .rank(1)
              .bytes(
                  "predicted_peak_bytes",
                  "peak predicted",
                  "Predicted peak of device memory.",
                  CaseResult::predictedPeakBytes)
              .rank(7)
              .bytes(
                  "measured_peak_bytes",
                  "peak measured",
                  "Measured peak of device memory.",
                  CaseResult::measuredPeakBytes)
              .rank(8)
              .shown(
                  Unit.BYTES,
                  "peak error",
                  "Difference of the two.",
                  each -> Math.abs(each.predictedPeakBytes() - each.measuredPeakBytes()))
              .rank(2)
              .one("failed_requests", "Requests that failed.", FAILURES, CaseResult::failures)
              .one("driver_time", "Time in the driver.", TIME, CaseResult::time)
              .shown(
                  Unit.NUMBER,
                  "driver time",
                  "Predicted divided by measured time, with its 95 % interval.",
                  each ->
                      "%.2f [%.2f, %.2f]"
                          .formatted(
                              each.time().ratio(), each.time().lowRatio(), each.time().highRatio()))
              .rank(3));

  /** Its columns. */
  static final Shape<ValidatedCase> SHAPE =
      Shape.of(row ->
          row.shown(Unit.TEXT, "case", "Trace and policy.", ValidatedCase::name)
              .text("trace", "Name of the trace.", ValidatedCase::trace)
              .term(Columns.SHA256, ValidatedCase::sha256)
              .missing("the trace is a program")
              .term(Columns.POLICY, each -> each.choice().label())
              .shown(Unit.BYTES, "limit", "What limits memory.", ValidatedCase::limit)
              .term(Columns.LIMIT_BYTES, each -> each.limitBytes() < 0 ? null : each.limitBytes())
              .missing("there is none")
              .bytes(
                  "chosen_capacity_bytes",
                  "Memory deliberately left free on the GPU.",
                  each -> each.capacityBytes() < 0 ? null : each.capacityBytes())
              .missing("nothing was held back")
              .flag(
                  "near_limit",
                  "Whether memory is just enough, or one page short.",
                  ValidatedCase::nearLimit)
              .term(Columns.NOT_RUN, ValidatedCase::notRunBecause)
              .missing("it ran")
              .where(
                  each -> each.result() != null,
                  NOT_RUN,
                  Shape.of(run -> run.embed(RESULT, ValidatedCase::result))));

  /** Trace and policy for people. */
  String name() {
    return trace + " with " + choice.label() + (nearLimit ? ", near its limit" : "");
  }

  /** What differs first in the calls of the driver; empty where nothing does. */
  Optional<String> firstDifference() {
    return Optional.ofNullable(result).map(CaseResult::firstDifference);
  }

  private static @Nullable Double share(long part, long whole) {
    return whole == 0 ? null : Double.valueOf((double) part / whole);
  }

  private @Nullable Object limit() {
    return limitBytes >= 0
        ? Sentence.of("limit {}", bytes(limitBytes))
        : capacityBytes >= 0 ? Sentence.of("free {}", bytes(capacityBytes)) : null;
  }

  private static String failures(OomComparison failures) {
    return switch (failures.verdict()) {
      case NEITHER -> "none, as predicted";
      case SAME_REQUEST ->
          failures.measuredFirst()
              + " as predicted"
              + (failures.same() ? "" : ", later ones differ");
      case OTHER_REQUEST -> failures.measuredFirst() + ", predicted " + failures.predictedFirst();
      case PREDICTED_ONLY -> "none, predicted " + failures.predictedFirst();
      case MEASURED_ONLY -> failures.measuredFirst() + ", none predicted";
    };
  }

  private static Map<String, DriverTime.Kind> callsByKind(DriverTime time) {
    Map<String, DriverTime.Kind> map = new LinkedHashMap<>();
    time.calls().forEach(kind -> map.put(Keys.of(kind.call()), kind));
    return map;
  }
}
