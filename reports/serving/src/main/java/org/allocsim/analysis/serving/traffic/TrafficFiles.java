package org.allocsim.analysis.serving.traffic;

import java.nio.file.Path;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;

/**
 * Reads files of requests, plain or compressed. Their first line says which of these formats they
 * have:
 *
 * <ul>
 *   <li>BurstGPT (Wang et al., arXiv 2401.17644): CSV with the columns {@code Timestamp} in
 *       seconds, {@code Request tokens}, {@code Response tokens}, and others.
 *   <li>Azure's LLM inference traces (2023 and 2024): CSV with {@code TIMESTAMP}, {@code
 *       ContextTokens}, {@code GeneratedTokens}.
 *   <li>Mooncake (Qin et al., FAST 2025): a JSON object a line with {@code timestamp} in
 *       milliseconds, {@code input_length}, {@code output_length}, and {@code hash_ids}, the
 *       numbers of the prompt's blocks of 512 tokens.
 * </ul>
 */
public final class TrafficFiles {
  private TrafficFiles() {}

  /**
   * Reads a file.
   *
   * @throws TraceFormatException where it cannot be read, with place, cause and remedy
   */
  public static Traffic read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput lines = new LineInput(file, progress)) {
      if (!lines.next()) {
        throw new TraceFormatException(
            lines.name(), "", "the file is empty", "give a request file");
      }
      boolean isJson = lines.length() > 0 && lines.bytes()[0] == '{';
      Traffic traffic = isJson ? MooncakeReader.read(lines) : TrafficCsvReader.read(lines);
      if (traffic.count() == 0) {
        throw new TraceFormatException(
            lines.name(),
            "",
            "the file has no request with a prompt and an output",
            "give a file with requests");
      }
      return traffic;
    }
  }
}
