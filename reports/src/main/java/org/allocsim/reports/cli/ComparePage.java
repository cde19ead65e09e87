package org.allocsim.reports.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.html.Verdict;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/** The page of {@code compare}. */
final class ComparePage {
  private ComparePage() {}

  static ReportPage of(
      List<CompareTable> tables,
      List<TraceRecording> recordings,
      Map<String, Object> results,
      PyTorchVersion version) {
    return new ReportPage("compare", title(tables), verdict(tables, version), results, recordings);
  }

  private static String title(List<CompareTable> tables) {
    String first = Path.of(tables.getFirst().input().name()).getFileName().toString();
    return tables.size() == 1 ? first : first + " and " + (tables.size() - 1) + " more";
  }

  /** Of the first trace; those of the others are facts below. */
  private static Verdict verdict(List<CompareTable> tables, PyTorchVersion version) {
    Verdict first = CompareVerdict.of(tables.getFirst(), version);
    if (tables.size() == 1) {
      return first;
    }
    List<String> details = new ArrayList<>(first.details());
    for (CompareTable table : tables.subList(1, tables.size())) {
      details.add(
          Path.of(table.input().name()).getFileName()
              + ": "
              + CompareVerdict.of(table, version).sentence());
    }
    return new Verdict(first.tone(), first.sentence(), details, first.pasteLine());
  }
}
