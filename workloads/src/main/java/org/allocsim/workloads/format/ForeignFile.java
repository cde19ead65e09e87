package org.allocsim.workloads.format;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Files that people give in place of a trace, known by how they begin. */
enum ForeignFile {
  LFS_POINTER(
      "version https://git-lfs",
      "it is a Git LFS pointer, not the file itself",
      "fetch the file with 'git lfs pull'"),
  RMM_DEBUG_LOG(
      "[",
      "it is a debug log of RMM, which omits most requests",
      "record a CSV with RMM's logging_resource_adaptor") {
    @Override
    boolean begins(String plain) {
      return LINE_OF_RMM.matcher(plain).lookingAt();
    }
  },
  ZIP(
      "pk\3\4",
      "it is a ZIP archive, such as torch.save() writes",
      "unpack it, or write the snapshot with torch.cuda.memory._dump_snapshot()"),
  WEB_PAGE("<!doctype html", "it is a web page", "download the raw file"),
  PAGE_WITHOUT_DOCTYPE("<html", WEB_PAGE.cause, WEB_PAGE.remedy);

  /** Process or thread, time of day, and level, each in brackets. */
  private static final Pattern LINE_OF_RMM =
      Pattern.compile("\\[ *[0-9]+\\]\\[[0-9:.]{8,16}\\]\\[(?:trace|debug|info) *\\]");

  private final String start;
  private final String cause;
  private final String remedy;

  ForeignFile(String start, String cause, String remedy) {
    this.start = start;
    this.cause = cause;
    this.remedy = remedy;
  }

  static Optional<ForeignFile> of(FileStart file) {
    String text = file.text().substring(0, Math.min(64, file.length())).stripLeading();
    String plain = text.toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(each -> each.begins(plain)).findFirst();
  }

  boolean begins(String plain) {
    return plain.startsWith(start);
  }

  /** The failure to read it as a trace. */
  TraceFormatException failure(String name) {
    return new TraceFormatException(name, "", cause, remedy);
  }
}
