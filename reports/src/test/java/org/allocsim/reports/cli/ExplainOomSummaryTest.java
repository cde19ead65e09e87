package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code explain-oom} on logs that hold a table of torch.cuda.memory_summary(), too. */
class ExplainOomSummaryTest {
  @TempDir private Path folder;

  private static String message(String allocated, String cached) {
    return "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a"
        + " total capacity of 16.00 GiB of which 1.00 GiB is free. Of the allocated memory "
        + allocated
        + " is allocated by PyTorch, and "
        + cached
        + " is reserved by PyTorch but unallocated.\n";
  }

  /** Numbers in MiB. */
  private static String table(
      int device, long allocated, long active, long requested, long reserved, long stuck) {
    return "|===========================================================================|\n"
        + "|                  PyTorch CUDA memory summary, device ID "
        + device
        + "                 |\n"
        + "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
        + row("Allocated memory", allocated)
        + row("      from large pool", allocated)
        + row("Active memory", active)
        + row("Requested memory", requested)
        + row("GPU reserved memory", reserved)
        + row("Non-releasable memory", stuck)
        + "|===========================================================================|\n";
  }

  private static String row(String caption, long mib) {
    return String.format(
            "| %-21s | %6d MiB | %6d MiB |      0 B   |      0 B   |%n", caption, mib, mib)
        .replace(System.lineSeparator(), "\n");
  }

  private CommandRun explain(String log, Object... options) throws IOException {
    Path file = Files.writeString(folder.resolve("train.log"), log);
    Object[] all = new Object[options.length + 2];
    all[0] = "explain-oom";
    all[1] = file;
    System.arraycopy(options, 0, all, 2, options.length);
    return CommandRun.of(all);
  }

  private String text(String log) throws IOException {
    return explain(log).out().replaceAll("\\s+", " ");
  }

  @Test
  void aTableOfTheSameMomentSplitsTheCache() throws IOException {
    String text =
        text(message("12.00 GiB", "2.50 GiB") + table(0, 12288, 12288, 12000, 14848, 2560));
    assertTrue(text.startsWith("FRAGMENTED"), text);
    assertFalse(text.contains("another moment"), text);
    assertTrue(
        text.contains(
            "memory_summary() in line 3 breaks down reserved but unallocated memory: 2.50 GiB in"
                + " free parts of segments in use, 0 bytes in whole free segments; rounding"
                + " accounts for 288.00 MiB of allocated memory."),
        text);
  }

  @Test
  void whatAwaitsAnotherStreamIsNamedAsTheRemedy() throws IOException {
    String text =
        text(message("12.00 GiB", "2.50 GiB") + table(0, 12288, 14500, 12288, 14848, 348));
    assertTrue(text.contains("2.16 GiB freed but still in use on a stream"), text);
    assertTrue(text.contains("record_stream() holds it until the device is done"), text);
  }

  @Test
  void aTableOfAnotherMomentIsCalledThat() throws IOException {
    String text = text(message("12.00 GiB", "2.50 GiB") + table(0, 100, 100, 100, 14848, 50));
    assertTrue(
        text.contains("is from another moment: it shows 100.00 MiB allocated of 14.50"), text);
  }

  @Test
  void aTableFillsInForWhatAMessageLacks() throws IOException {
    String cut =
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 16.00 GiB of"
            + " which 1.00 GiB is free.\n";
    assertTrue(text(cut).startsWith("UNKNOWN"));
    String text = text(cut + table(0, 12288, 12288, 12288, 14848, 2560));
    assertTrue(text.startsWith("FRAGMENTED: perfect packing would leave 1.50 GiB over"), text);
    assertTrue(
        text.contains("Figures missing in the message are taken from memory_summary() in line"),
        text);
  }

  @Test
  void tablesOfOtherDevicesAndWritersAreNotTaken() throws IOException {
    String other = text(message("12.00 GiB", "2.50 GiB") + table(1, 12288, 1, 1, 14848, 2560));
    assertFalse(other.contains("memory_summary()"), other);
    String ranks =
        (message("12.00 GiB", "2.50 GiB") + table(0, 12288, 12288, 12288, 14848, 2560))
                .replaceAll("(?m)^", "[rank0]: ")
            + "[rank1]: "
            + message("13.00 GiB", "1.50 GiB");
    CommandRun run = explain(ranks, "--json", "-");
    String json = run.out().replaceAll("\\s+", " ");
    assertTrue(json.contains("\"memory_summary\": { \"line\": 3, \"same_moment\": true"), json);
    assertTrue(json.contains("\"memory_summary\": null"), json);
  }

  @Test
  void theNextTableAfterAMessageIsItsOwn() throws IOException {
    String log =
        table(0, 5, 5, 5, 50, 5)
            + message("12.00 GiB", "2.50 GiB")
            + table(0, 12288, 12288, 12288, 14848, 2560)
            + table(0, 7, 7, 7, 70, 7);
    String json = explain(log, "--json", "-").out().replaceAll("\\s+", " ");
    assertTrue(json.contains("\"same_moment\": true"), json);
    assertTrue(json.contains("\"whole_free_segments\": { \"bytes\": 0,"), json);
  }

  @Test
  void tablesThatAreCutOrHostileAreHarmless() throws IOException {
    String whole = table(0, 12288, 12288, 12288, 14848, 2560);
    for (int length = 0; length < whole.length(); length += 37) {
      CommandRun run = explain(message("12.00 GiB", "2.50 GiB") + whole.substring(0, length));
      assertEquals(10, run.exitCode(), run.err());
    }
    String hostile =
        """
        | PyTorch CUDA memory summary, device ID 99999999999
        | Allocated memory | 999999999999999999 PiB |
        | Active memory | -5 MiB |
        | GPU reserved memory | 1e9 MiB |
        | Non-releasable memory |
        """;
    assertEquals(10, explain(message("12.00 GiB", "2.50 GiB") + hostile.repeat(3)).exitCode());
  }
}
