package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.stats.MemoryStats;

/** Collects what each failed request of a replay would say. */
final class RaisedMessages implements EffectListener {
  private static final Pattern PROCESSES =
      Pattern.compile(
          "(?:(?:Process [0-9]+ has|Including non-PyTorch memory, this process has) [0-9.]+"
              + " [A-Za-z]+ memory in use\\. )+");

  private final List<OutOfMemoryMessage> raised = new ArrayList<>();
  private final MemoryStats stats;

  RaisedMessages(MemoryStats stats) {
    this.stats = stats;
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    raised.add(
        new OutOfMemoryMessage(
            0,
            failure.segmentBytes(),
            failure.deviceTotalBytes(),
            failure.deviceFreeBytes(),
            failure.limitBytes(),
            stats.allocatedBytes(),
            stats.reservedBytes(),
            failure.privateFreeBytes(),
            ""));
  }

  /** The texts in a release's wording, without processes. */
  List<String> texts(OutOfMemoryMessage.Template template) {
    return raised.stream().map(message -> message.text(template)).toList();
  }

  /** The texts must be these; only the list of processes is taken from them. */
  void expectTexts(List<String> recorded) {
    assertEquals(recorded.size(), raised.size());
    for (int i = 0; i < recorded.size(); i++) {
      Matcher processes = PROCESSES.matcher(recorded.get(i));
      String listed = processes.find() ? processes.group() : "";
      assertEquals(recorded.get(i), text(raised.get(i), listed), "message " + i);
    }
  }

  private static String text(OutOfMemoryMessage message, String processes) {
    return new OutOfMemoryMessage(
            message.deviceIndex(),
            message.segmentBytes(),
            message.deviceTotalBytes(),
            message.deviceFreeBytes(),
            message.limitBytes(),
            message.allocatedBytes(),
            message.reservedBytes(),
            message.privateFreeBytes(),
            processes)
        .text(OutOfMemoryMessage.Template.V2_11);
  }
}
