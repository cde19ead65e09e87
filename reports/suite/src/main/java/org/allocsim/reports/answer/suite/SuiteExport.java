package org.allocsim.reports.answer.suite;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.OutputFolder;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.allocsim.workloads.io.Compression;

/** Writes the programs of scenarios as files of JSON Lines, with a list of what runs on them. */
public final class SuiteExport {
  /** Rows up to which a file is left uncompressed. */
  private static final int MAX_PLAIN_ROWS = 10_000;

  private final OutputFiles outputs;
  private final Path folder;
  private int files;

  private SuiteExport(OutputFiles outputs, Path folder) {
    this.outputs = outputs;
    this.folder = folder;
  }

  /** Writes into a folder, which is made if it is missing; answers the number of programs. */
  public static int write(List<SuiteScenario> scenarios, String folderName, OutputFiles outputs) {
    try {
      Path folder = OutputFolder.make("--export", folderName);
      SuiteExport export = new SuiteExport(outputs, folder);
      export.write(scenarios);
      return export.files;
    } catch (IOException e) {
      throw new Failure(
          "--export: cannot write into " + folderName + ": " + e.getMessage() + "; name a folder",
          e);
    }
  }

  private void write(List<SuiteScenario> scenarios) throws IOException {
    PrintWriter list =
        new PrintWriter(new OutputStreamWriter(open("suite.csv").stream(), StandardCharsets.UTF_8));
    CsvText csv =
        new CsvText(
            list,
            "scenario",
            "variant",
            "file",
            "device_index",
            "policy",
            "conf",
            "capacity_bytes",
            "source");
    for (SuiteScenario scenario : scenarios) {
      IdentityHashMap<AllocationTrace, String> names = new IdentityHashMap<>();
      String scenarioName = scenario.topic().name();
      for (Variant variant : scenario.variants()) {
        String file = names.get(variant.trace());
        if (file == null) {
          file = scenarioName + (names.isEmpty() ? "" : "-" + (names.size() + 1)) + ".jsonl";
          if (variant.trace().eventCount() > MAX_PLAIN_ROWS) {
            file += ".gz";
          }
          names.put(variant.trace(), file);
          program(variant.trace(), file);
        }
        csv.row(
            scenarioName,
            variant.label(),
            file,
            variant.device(),
            variant.policy(),
            variant.conf(),
            variant.profile().capacityBytes(),
            scenario.topic().source());
      }
    }
    list.flush();
  }

  private OutputFiles.Output open(String name) {
    return outputs.open("--export", folder.resolve(name).toString(), null);
  }

  private void program(AllocationTrace trace, String file) throws IOException {
    files++;
    try (OutputStream stream =
        Compression.ofName(file.toLowerCase(Locale.ROOT))
            .encode(new BufferedOutputStream(open(file).stream(), 1 << 16))) {
      new JsonLinesFormat()
          .writer()
          .orElseThrow()
          .write(trace, JsonLinesFormat.ALL_DEVICES, stream);
    }
  }
}
