package org.allocsim.reports.answer.validation;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.allocsim.validation.calibration.CalibrationResult;
import org.allocsim.validation.calibration.CallClass;
import org.allocsim.validation.calibration.CopyExperiment;
import org.allocsim.validation.calibration.Placement;
import org.allocsim.validation.calibration.RobustFit;
import org.allocsim.workloads.profile.ProfileFile;

/** What {@code calibrate} found as JSON. */
public final class CalibrateJson {
  private CalibrateJson() {}

  public static Map<String, Object> of(CalibrationResult result) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("profile", ProfileFile.fields(result.profile()));
    map.put("placement", placement(result.placement()));
    map.put("rounds", result.rounds());
    Map<String, Object> slowness = new LinkedHashMap<>();
    for (int percent : new int[] {5, 25, 50, 75, 95}) {
      slowness.put("p" + percent, result.observations().slowness(percent));
    }
    map.put("host_slowness", slowness);
    map.put("answers", result.observations().answers());
    map.put("other_answers", result.observations().otherAnswers());
    Map<String, Object> fits = new LinkedHashMap<>();
    for (CallClass each : CallClass.values()) {
      fits.put(each.name().toLowerCase(Locale.ROOT), fit(each, result.fits().get(each)));
    }
    map.put("fits", fits);
    map.put("copies", copies(result.copies()));
    map.put("undetermined", result.undetermined());
    return map;
  }

  private static Map<String, Object> placement(Placement found) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("page_bytes", found.pageBytes());
    map.put("alignment_bytes", found.alignmentBytes());
    map.put("largest_shared_bytes", orNull(found.largestSharedBytes()));
    map.put("reservation_bytes", orNull(found.reservationBytes()));
    map.put("arena_address", found.arenaAddress());
    map.put("top_address", orNull(found.topAddress()));
    map.put("range_address", orNull(found.rangeAddress()));
    map.put("chunk_bytes", orNull(found.chunkBytes()));
    map.put("unusable_bytes", orNull(found.unusableBytes()));
    return map;
  }

  private static Long orNull(long number) {
    return number < 0 ? null : number;
  }

  private static Map<String, Object> fit(CallClass of, RobustFit fit) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("calls", fit.calls());
    Map<String, Object> parameters = new LinkedHashMap<>();
    for (int i = 0; i < of.parameters().size(); i++) {
      RobustFit.Estimate estimate = fit.estimate(i);
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("value", estimate.value());
      one.put("low", estimate.low());
      one.put("high", estimate.high());
      parameters.put(of.parameters().get(i), one);
    }
    map.put("parameters", parameters);
    Map<String, Object> errors = new LinkedHashMap<>();
    for (int percent : new int[] {5, 25, 50, 75, 95, 99}) {
      errors.put("p" + percent, fit.errorPercentile(percent));
    }
    map.put("relative_errors", errors);
    map.put("modelled_over_measured", fit.ratio());
    return map;
  }

  private static Map<String, Object> copies(CopyExperiment.Result copies) {
    if (copies == null) {
      return null;
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("pinned_to_device_bytes_per_second", copies.pinnedToDevice());
    map.put("pinned_to_host_bytes_per_second", copies.pinnedToHost());
    map.put("pageable_to_device_bytes_per_second", copies.pageableToDevice());
    map.put("pageable_to_host_bytes_per_second", copies.pageableToHost());
    map.put("copy_nanos", copies.copyNanos());
    map.put("launch_nanos", copies.launchNanos());
    map.put("pin_nanos", copies.pinNanos());
    map.put("pin_mebibyte_nanos", copies.pinMebibyteNanos());
    return map;
  }
}
