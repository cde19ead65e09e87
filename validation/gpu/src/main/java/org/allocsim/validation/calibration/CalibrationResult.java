package org.allocsim.validation.calibration;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.allocsim.simulator.device.DeviceProfile;
import org.jspecify.annotations.Nullable;

/**
 * What a calibration found.
 *
 * @param profile the device; what could not be determined is as on the base profile
 * @param placement units and places
 * @param observations all timed calls
 * @param fits the fit of each class of calls
 * @param copies speed of copies, or null where none were made
 * @param rounds rounds of experiments
 * @param undetermined fields of the profile that are as on the base profile
 */
public record CalibrationResult(
    DeviceProfile profile,
    Placement placement,
    ObservationSet observations,
    Map<CallClass, RobustFit> fits,
    CopyExperiment.@Nullable Result copies,
    int rounds,
    List<String> undetermined) {

  /** Keeps its own copies. */
  public CalibrationResult {
    fits = Map.copyOf(fits);
    undetermined = List.copyOf(undetermined);
  }

  /** The fit of a class of calls. */
  public RobustFit fit(CallClass of) {
    return Objects.requireNonNull(fits.get(of), () -> "every class is fitted, " + of + " too");
  }

  /** The same with another name for the profile. */
  public CalibrationResult named(String name) {
    return new CalibrationResult(
        profile.withName(name), placement, observations, fits, copies, rounds, undetermined);
  }
}
