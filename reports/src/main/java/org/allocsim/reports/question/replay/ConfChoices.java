package org.allocsim.reports.question.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.input.Traces;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/**
 * The settings under which policy pytorch runs.
 *
 * @param given those that the user chose; null for the recorded ones and others worth a try
 */
public record ConfChoices(@Nullable List<String> given) {
  private static final String EXPANDABLE = "expandable_segments:True";

  /** The settings of a text that separates them by semicolons. */
  public static List<String> split(String confs) {
    return Arrays.stream(confs.split(";", -1)).map(String::strip).toList();
  }

  /** The settings of such a text; null for none. */
  public static ConfChoices of(@Nullable String confs) {
    return new ConfChoices(confs == null ? null : split(confs));
  }

  /**
   * The choices with policy pytorch by the rules of a release where it names none, and once for
   * each setting where it has none of its own.
   *
   * @param recordedConf the recorded settings, or null
   * @param recommendedConf settings to try beside them where the user gives none, or null
   * @param version the release that the settings are for
   * @param profile the device that must be able to follow the settings
   */
  public List<PolicyChoice> expand(
      List<PolicyChoice> chosen,
      @Nullable String recordedConf,
      @Nullable String recommendedConf,
      PyTorchVersion version,
      DeviceProfile profile) {
    List<PolicyChoice> expanded = new ArrayList<>();
    for (PolicyChoice choice : chosen) {
      if (!choice.provider().spec().id().equals(Program.PYTORCH)) {
        expanded.add(choice);
        continue;
      }
      Map<String, String> options = new LinkedHashMap<>(choice.options());
      if (version != PyTorchVersion.DEFAULT) {
        options.putIfAbsent(Program.VERSION_OPTION, version.id());
      }
      if (!choice.options().isEmpty()) {
        expanded.add(new PolicyChoice(choice.provider(), options));
        continue;
      }
      for (String conf : settings(recordedConf, recommendedConf, version)) {
        Traces.requirePossible(Traces.settings(conf, version), profile);
        Map<String, String> all = new LinkedHashMap<>(options);
        if (!conf.isEmpty()) {
          all.put("conf", conf);
        }
        expanded.add(new PolicyChoice(choice.provider(), all));
      }
    }
    return expanded;
  }

  private SequencedSet<String> settings(
      @Nullable String recordedConf, @Nullable String recommendedConf, PyTorchVersion version) {
    SequencedSet<String> settings = new LinkedHashSet<>();
    if (given != null) {
      settings.addAll(given);
      return settings;
    }
    settings.add(recordedConf == null ? "" : recordedConf);
    if (version.knowsKey("expandable_segments")) {
      settings.add(EXPANDABLE);
    }
    if (recommendedConf != null) {
      settings.add(recommendedConf);
    }
    return settings;
  }
}
