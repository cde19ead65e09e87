package org.allocsim.reports.cli;

/** The file formats that can be read. */
enum TraceFormat {
  /** What {@code torch.cuda.memory._dump_snapshot} writes. */
  PYTORCH_SNAPSHOT(
      "pytorch-snapshot",
      "torch.cuda.memory._dump_snapshot(), PyTorch 2.0 to 2.14",
      "plain, .gz, .xz, .zst; recognised by content");

  private final String id;
  private final String summary;
  private final String compressions;

  TraceFormat(String id, String summary, String compressions) {
    this.id = id;
    this.summary = summary;
    this.compressions = compressions;
  }

  /** The format's name. */
  String id() {
    return id;
  }

  /** What writes such files. */
  String summary() {
    return summary;
  }

  /** How such files may be packed. */
  String compressions() {
    return compressions;
  }
}
