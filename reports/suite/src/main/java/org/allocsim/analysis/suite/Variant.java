package org.allocsim.analysis.suite;

import java.util.Map;
import java.util.TreeMap;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * A program and the circumstances under which it runs.
 *
 * @param label short name among the variants of a scenario
 * @param trace the program; variants may share it
 * @param device index of the device whose requests are served
 * @param policy an allocator as {@code --policies} takes it
 * @param conf settings of PyTorch's allocator; other policies have nothing of it
 * @param version whose rules PyTorch's allocator follows
 * @param profile the simulated device
 * @param limitBytes the allocator's own limit, −1 without one
 * @param afterOom how to go on after a request that fails
 */
public record Variant(
    String label,
    AllocationTrace trace,
    int device,
    String policy,
    String conf,
    PyTorchVersion version,
    DeviceProfile profile,
    long limitBytes,
    AfterOom afterOom) {

  /** PyTorch with its default settings on a device that never runs full. */
  public static Variant of(String label, AllocationTrace trace) {
    return new Variant(
        label,
        trace,
        0,
        Program.PYTORCH,
        "",
        PyTorchVersion.DEFAULT,
        DeviceProfiles.ofCapacity(1024 * Requests.GIB),
        -1,
        AfterOom.STOP);
  }

  /** The same program under a setting, which becomes the label. */
  public Variant under(String setting) {
    return new Variant(
        setting, trace, device, policy, setting, version, profile, limitBytes, afterOom);
  }

  /** The same under another name. */
  public Variant named(String name) {
    return new Variant(name, trace, device, policy, conf, version, profile, limitBytes, afterOom);
  }

  /** The same with another program. */
  public Variant running(AllocationTrace program) {
    return new Variant(
        label, program, device, policy, conf, version, profile, limitBytes, afterOom);
  }

  /** The same with another allocator, which becomes the label. */
  public Variant with(String allocator) {
    return new Variant(
        allocator, trace, device, allocator, "", version, profile, limitBytes, afterOom);
  }

  /** The same on a device with so much free memory. */
  public Variant capacity(long bytes) {
    return on(DeviceProfiles.ofCapacity(bytes));
  }

  /** The same on another device. */
  public Variant on(DeviceProfile other) {
    return new Variant(label, trace, device, policy, conf, version, other, limitBytes, afterOom);
  }

  /** The requests of another device of the same program. */
  public Variant ofDevice(int index) {
    return new Variant(label, trace, index, policy, conf, version, profile, limitBytes, afterOom);
  }

  /** The same where the program catches the exception of a failed request and goes on. */
  public Variant goingOn() {
    return new Variant(
        label, trace, device, policy, conf, version, profile, limitBytes, AfterOom.CONTINUE);
  }

  RunSetup setup() {
    return new RunSetup(trace, device, choice(), limitBytes, profile).with(afterOom);
  }

  /** The allocator with all its options. */
  PolicyChoice choice() {
    PolicyChoice chosen = PolicyChoice.parse(policy);
    if (!Scenario.takesConf(chosen.provider().spec())) {
      return chosen;
    }
    Map<String, String> options = new TreeMap<>(chosen.options());
    if (!conf.isEmpty()) {
      options.put("conf", conf);
    }
    if (chosen.provider().spec().id().equals(Program.PYTORCH)) {
      options.put("torch-version", version.id());
    }
    return new PolicyChoice(chosen.provider(), options);
  }
}
