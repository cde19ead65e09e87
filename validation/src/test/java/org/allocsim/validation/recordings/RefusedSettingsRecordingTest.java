package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What each recorded release says about settings is said word for word. */
class RefusedSettingsRecordingTest {
  @Test
  void everyReleaseAnswersEverySettingInItsOwnWords() {
    List<String> differences = new ArrayList<>();
    int answers = 0;
    JsonNode recorded =
        Recordings.parse(Recordings.text("pytorch-releases", "settings-differing.json"));
    for (Map.Entry<String, JsonNode> setting : recorded.properties()) {
      for (Map.Entry<String, JsonNode> answer : setting.getValue().properties()) {
        answers++;
        String said = answer.getValue().asString();
        String says = answer(setting.getKey(), PyTorchVersion.of(answer.getKey()));
        // Where the process died, it failed one of its own assertions, which is no answer.
        boolean same = said.startsWith("died") ? says.startsWith("died") : said.equals(says);
        if (!same) {
          differences.add(
              answer.getKey() + ", " + setting.getKey() + ": was " + said + ", is " + says);
        }
      }
    }
    assertTrue(answers > 0);
    assertEquals(List.of(), differences);
  }

  private static String answer(String conf, PyTorchVersion version) {
    try {
      ConfigParser.parse(conf, version);
      return "accepted";
    } catch (ConfigException e) {
      boolean isAssertion =
          e.errorType().equals("RuntimeError") && e.getMessage().contains("ConfigTokenizer");
      return isAssertion ? "died" : e.getMessage().strip();
    }
  }
}
