package org.allocsim.reports.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.advice.Goal;
import org.allocsim.analysis.advice.Remedy;
import org.allocsim.analysis.advice.StepWork;
import org.allocsim.analysis.advice.Trial;
import org.allocsim.analysis.advice.Trials;
import org.allocsim.reports.json.JsonValues;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.jspecify.annotations.Nullable;

/** Reads the file {@code trials.json} that {@code allocsim advise} keeps in its folder. */
public final class TrialsFile {
  private static final String SCHEMA = "allocsim-trials-1";

  private TrialsFile() {}

  /**
   * Reads what was found so far.
   *
   * @throws Failure where the file cannot be read, or holds something else
   */
  public static Trials read(Path file) {
    try (InputStream stream = Files.newInputStream(file)) {
      Fields json = new Fields(JsonValues.readObject(stream));
      if (!SCHEMA.equals(json.map().get("schema"))) {
        throw new IOException("it is not of the form " + SCHEMA);
      }
      return trials(json);
    } catch (IOException e) {
      throw unusable(file, String.valueOf(e.getMessage()), e);
    } catch (ClassCastException | IllegalArgumentException e) {
      throw unusable(file, "parts of it are of another kind", e);
    }
  }

  private static Failure unusable(Path file, String reason, Exception cause) {
    return new Failure(
        "%s: %s; give the trials.json of a folder that 'allocsim advise -o DIR' wrote"
            .formatted(file, reason),
        cause);
  }

  private static Trials trials(Fields json) throws IOException {
    DeviceProfile gpu = ShippedProfiles.named(json.text("device"));
    List<Trial> trials = new ArrayList<>();
    Long cardBytes = null;
    for (Fields each : json.objects("trials")) {
      Trial trial = trial(each);
      trials.add(trial);
      Fields answer = each.object("answer");
      if (trial.isBaseline() && answer != null) {
        cardBytes = answer.number("card_bytes");
      }
    }
    Long targetBytes = json.number("target_bytes");
    Long limitBytes = targetBytes == null ? cardBytes : targetBytes;
    List<Remedy> remedies = new ArrayList<>();
    for (Fields each : json.objects("remedies")) {
      remedies.add(remedy(each));
    }
    for (Trial each : trials) {
      for (String name : each.remedies()) {
        if (remedies.stream().noneMatch(remedy -> remedy.name().equals(name))) {
          throw new IOException(
              "a run has the remedy " + name + ", which is not among the remedies");
        }
      }
    }
    return new Trials(
        String.join(" ", json.texts("program")),
        gpu,
        new Goal(
            limitBytes == null ? gpu.capacityBytes() : limitBytes,
            targetBytes != null,
            json.real("margin", 0)),
        json.flag("all"),
        json.map().get("chosen") == null ? null : json.texts("chosen"),
        json.flag("out_of_time"),
        remedies,
        trials);
  }

  private static Remedy remedy(Fields json) throws IOException {
    List<Remedy.Lines> lines = new ArrayList<>();
    for (Fields each : json.objects("lines")) {
      lines.add(new Remedy.Lines(each.text("place"), each.text("text"), each.flag("replaces")));
    }
    return new Remedy(
        json.text("name"),
        json.text("title"),
        json.text("cost"),
        json.flag("changes_results"),
        json.text("group"),
        json.optionalText("after"),
        json.flag("is_on_request"),
        json.optionalText("reason_against"),
        json.number("most_saved_bytes"),
        lines);
  }

  private static Trial trial(Fields json) throws IOException {
    Fields answer = json.object("answer");
    Fields work = json.object("work");
    return new Trial(
        json.texts("remedies"),
        answer != null && answer.flag("complete")
            ? outcome(answer)
            : new Trial.Problem(problem(json, answer)),
        work == null ? null : work(work),
        answer == null ? null : answer.optionalText("file"),
        json.real("seconds", 0));
  }

  private static String problem(Fields json, @Nullable Fields answer) throws IOException {
    return answer == null ? json.text("problem") : answer.text("sentence");
  }

  private static Trial.Outcome outcome(Fields answer) throws IOException {
    Fields settings = answer.required("settings");
    Fields recorded = settings.required("recorded");
    Fields best = settings.required("best");
    return new Trial.Outcome(
        answer.bytes("peak_requested_bytes"),
        answer.bytes("peak_allocated_bytes"),
        recorded.bytes("reserved_bytes"),
        answer.required("interval").number("high_bytes"),
        recorded.text("conf"),
        best.text("conf"),
        best.bytes("reserved_bytes"),
        answer.optionalText("smallest_gpu"));
  }

  private static StepWork work(Fields json) throws IOException {
    List<StepWork.Operation> operations = new ArrayList<>();
    for (Fields each : json.objects("operations")) {
      String rate = each.text("rate");
      operations.add(
          new StepWork.Operation(
              rate.isEmpty() ? null : Precision.valueOf(rate.toUpperCase(Locale.ROOT)),
              each.bytes("flops"),
              each.bytes("bytes"),
              each.bytes("count")));
    }
    return new StepWork(
        json.bytes("steps"),
        operations,
        json.bytes("copies"),
        json.bytes("pinned_copy_bytes"),
        json.bytes("pageable_copy_bytes"));
  }

  /** The values of an object. */
  private record Fields(Map<?, ?> map) {
    Fields required(String key) throws IOException {
      Fields found = object(key);
      if (found == null) {
        throw new IOException("it lacks \"" + key + "\"");
      }
      return found;
    }

    @Nullable Fields object(String key) {
      return map.get(key) == null ? null : new Fields((Map<?, ?>) map.get(key));
    }

    List<Fields> objects(String key) throws IOException {
      List<Fields> found = new ArrayList<>();
      for (Object each : list(key)) {
        found.add(new Fields((Map<?, ?>) each));
      }
      return found;
    }

    List<String> texts(String key) throws IOException {
      return list(key).stream().map(String.class::cast).toList();
    }

    private List<?> list(String key) throws IOException {
      if (map.get(key) == null) {
        throw new IOException("it lacks \"" + key + "\"");
      }
      return (List<?>) map.get(key);
    }

    String text(String key) throws IOException {
      String found = optionalText(key);
      if (found == null) {
        throw new IOException("it lacks \"" + key + "\"");
      }
      return found;
    }

    @Nullable String optionalText(String key) {
      return (String) map.get(key);
    }

    long bytes(String key) throws IOException {
      Long found = number(key);
      if (found == null || found < 0) {
        throw new IOException("\"" + key + "\" is no number from 0 up");
      }
      return found;
    }

    @Nullable Long number(String key) {
      return (Long) map.get(key);
    }

    double real(String key, double absent) {
      return map.get(key) instanceof Number found ? found.doubleValue() : absent;
    }

    boolean flag(String key) {
      return Boolean.TRUE.equals(map.get(key));
    }
  }
}
