package org.allocsim.reports.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.allocsim.analysis.advice.Goal;
import org.allocsim.analysis.advice.Remedy;
import org.allocsim.analysis.advice.RemedySearch;
import org.allocsim.analysis.advice.StepWork;
import org.allocsim.analysis.advice.Trial;
import org.allocsim.analysis.advice.Trials;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.json.JsonValues;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code trials.json} that {@code allocsim advise} keeps in its folder.
 *
 * @param file the file
 * @param trials what was found so far
 */
public record TrialsFile(Path file, Trials trials) {
  private static final String SCHEMA = "allocsim-trials-2";
  private static final String FIRST_SCHEMA = "allocsim-trials-1";

  /** More GPUs than any remedy needs. */
  private static final int MAX_GPUS = 1 << 20;

  /** Stands for no remedy, where remedies are named. */
  private static final String NONE = "none";

  /**
   * Reads what was found so far.
   *
   * @throws Failure where the file cannot be read, or holds something else
   */
  public static TrialsFile open(String name) {
    Path file = Inputs.require(name);
    try (InputStream stream = Files.newInputStream(file)) {
      Fields json = new Fields(JsonValues.readObject(stream));
      Object schema = json.map().get("schema");
      if (!SCHEMA.equals(schema) && !FIRST_SCHEMA.equals(schema)) {
        throw new IOException("it does not have the schema " + SCHEMA);
      }
      return new TrialsFile(file, trials(json));
    } catch (IOException e) {
      throw unusable(file, String.valueOf(e.getMessage()), e);
    } catch (ClassCastException | IllegalArgumentException e) {
      throw unusable(file, "parts of it have the wrong type", e);
    }
  }

  /**
   * What whoever runs the program asks for, as a line of JSON: {@code combinations} of remedies to
   * run next, and {@code kept}, the remedies of the run whose recording is worth keeping.
   */
  public String next() {
    List<String> kept = bestOrLeast().map(Trials.Done::remedies).orElse(List.of());
    return JsonText.line(Map.of("combinations", new RemedySearch(trials).next(), "kept", kept));
  }

  /**
   * The recordings of the program as it is and of the run that is recommended where both were kept,
   * and then another one.
   *
   * @param other its name; null for none
   */
  public List<String> recordings(@Nullable String other) {
    List<String> kept =
        Stream.concat(trials.baseline().stream(), bestOrLeast().map(Trials.Done::trial).stream())
            .distinct()
            .map(Trial::file)
            .filter(Objects::nonNull)
            .map(file::resolveSibling)
            .filter(Files::isRegularFile)
            .map(Path::toString)
            .toList();
    return Stream.concat(
            kept.size() == 2 ? kept.stream() : Stream.empty(), Stream.ofNullable(other))
        .toList();
  }

  /**
   * The run that a recorded one is compared with.
   *
   * @param remedies names of the remedies that it had; null for those that are recommended
   * @throws Failure where there is no such run
   */
  public Trials.Done predicted(@Nullable List<String> remedies) {
    if (remedies == null) {
      return bestOrLeast()
          .orElseThrow(() ->
              new Failure(
                  file
                      + ": no run is complete, so there is nothing to check; run 'allocsim advise'"
                      + " again"));
    }
    List<String> names = remedies.stream().filter(each -> !each.equals(NONE)).toList();
    return trials
        .with(names)
        .flatMap(Trials::done)
        .orElseThrow(() ->
            Failure.usage(
                "--as %s: no run has these remedies; name those of a row, or none"
                    .formatted(String.join(",", remedies))));
  }

  /** The run that is recommended; where none fits, the one that reserves least. */
  private Optional<Trials.Done> bestOrLeast() {
    RemedySearch search = new RemedySearch(trials);
    return search.best().or(search::least);
  }

  private static Failure unusable(Path file, String reason, Exception cause) {
    return new Failure(
        "%s: %s; give the trials.json in a folder that 'allocsim advise -o DIR' wrote"
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
          throw new IOException("a run has the unknown remedy " + name + "");
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
        json.number(
            json.map().containsKey("most_saved_bytes") ? "most_saved_bytes" : "max_saved_bytes"),
        Math.toIntExact(
            Math.clamp(json.map().get("ranks") == null ? 1 : json.bytes("ranks"), 1, MAX_GPUS)),
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
        json.real("seconds", 0),
        json.map().get("notes") == null ? List.of() : json.texts("notes"));
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
        throw new IOException("it has no \"" + key + "\"");
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
        throw new IOException("it has no \"" + key + "\"");
      }
      return (List<?>) map.get(key);
    }

    String text(String key) throws IOException {
      String found = optionalText(key);
      if (found == null) {
        throw new IOException("it has no \"" + key + "\"");
      }
      return found;
    }

    @Nullable String optionalText(String key) {
      return (String) map.get(key);
    }

    long bytes(String key) throws IOException {
      Long found = number(key);
      if (found == null || found < 0) {
        throw new IOException("\"" + key + "\" is not a number from 0");
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
