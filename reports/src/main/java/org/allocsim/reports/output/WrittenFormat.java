package org.allocsim.reports.output;

import java.util.List;
import java.util.stream.Collectors;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.io.Compression;
import org.jspecify.annotations.Nullable;

/** Which format a trace is written in. */
public final class WrittenFormat {
  private WrittenFormat() {}

  /**
   * The format that is asked for or, without one, that a file's name ends like.
   *
   * @param outputName value of {@code --output}
   * @param to value of {@code --to}, or null
   */
  public static TraceFormat of(String outputName, @Nullable String to) {
    List<TraceFormat> writable =
        TraceFormats.all().stream().filter(each -> each.writer().isPresent()).toList();
    String known = writable.stream().map(TraceFormat::id).collect(Collectors.joining(", "));
    if (to != null) {
      return writable.stream()
          .filter(each -> each.id().equals(to))
          .findFirst()
          .orElseThrow(() ->
              Failure.usage(
                  "--to "
                      + to
                      + " cannot be written; "
                      + SimilarName.remedy(
                          to,
                          writable.stream().map(TraceFormat::id).toList(),
                          "choose one of " + known)));
    }
    String plain = Compression.plainName(outputName);
    String ending = plain.substring(plain.lastIndexOf('.') + 1);
    List<TraceFormat> matches =
        writable.stream().filter(each -> each.extensions().contains(ending)).toList();
    if (matches.size() == 1) {
      return matches.getFirst();
    }
    throw Failure.usage(
        "--output %s: the name %s; choose one of %s with --to%s"
            .formatted(
                outputName,
                matches.isEmpty() ? "has no known extension" : "matches several formats",
                known,
                SimilarName.hint(
                    ending,
                    writable.stream().flatMap(each -> each.extensions().stream()).toList())));
  }
}
