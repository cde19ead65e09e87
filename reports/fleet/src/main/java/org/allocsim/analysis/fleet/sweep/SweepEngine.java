package org.allocsim.analysis.fleet.sweep;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Makes the runs of a sweep. Engines beside that of this program are found as services. */
public interface SweepEngine {
  /** Id of the engine that runs on the cores of this machine. */
  String LOCAL = "local";

  /** Name on command lines. */
  String id();

  /**
   * Makes the runs and writes the results.
   *
   * @param inputs what {@link InputFiles} takes
   * @param out folder of the results
   * @param options what the engine gets beside the request
   * @throws SweepException where the sweep cannot begin or go on
   */
  SweepSummary run(
      SweepRequest request,
      List<String> inputs,
      String out,
      Options options,
      SweepListener listener);

  /**
   * What an engine gets.
   *
   * @param master where a cluster is, in the words of the engine; null where it knows
   * @param threads runs at a time on this machine; 0 for one on each core
   * @param plugins jars that other machines need for the runs
   */
  record Options(@Nullable String master, int threads, List<Path> plugins) {
    /** Keeps its own copy of the list. */
    public Options {
      plugins = List.copyOf(plugins);
    }
  }

  /** The engine of an id; empty where it is not installed. */
  static Optional<SweepEngine> named(String id) {
    if (id.equals(LOCAL)) {
      return Optional.of(new LocalEngine());
    }
    return ServiceLoader.load(SweepEngine.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(engine -> engine.id().equals(id))
        .findFirst();
  }
}
