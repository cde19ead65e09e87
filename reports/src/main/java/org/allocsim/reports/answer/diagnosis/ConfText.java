package org.allocsim.reports.answer.diagnosis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.tuning.LintFinding;

/** Findings about configuration strings in results. */
public final class ConfText {
  private ConfText() {}

  /** Findings as JSON. */
  public static List<Object> toList(List<LintFinding> findings) {
    return findings.stream()
        .<Object>map(finding -> {
          Map<String, Object> map = new LinkedHashMap<>();
          map.put("kind", finding.kind().label());
          map.put("severity", finding.severity().label());
          map.put("message", finding.message());
          return map;
        })
        .toList();
  }
}
