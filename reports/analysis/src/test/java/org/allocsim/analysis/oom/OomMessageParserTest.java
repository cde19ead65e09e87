package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.stats.ByteFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OomMessageParserTest {
  private static final Map<Template, Wording> WORDINGS =
      Map.of(
          Template.V1, Wording.RESERVED,
          Template.V2_0, Wording.RESERVED_HINT,
          Template.V2_1, Wording.V2_1,
          Template.V2_2, Wording.V2_2,
          Template.V2_4, Wording.V2_2,
          Template.V2_5, Wording.V2_2,
          Template.V2_10, Wording.V2_9,
          Template.V2_11, Wording.V2_11,
          Template.V2_14_EXPANDABLE, Wording.V2_2);

  private static final Set<Template> WITHOUT_LIMIT =
      EnumSet.of(Template.V2_1, Template.V2_2, Template.V2_4);

  @ParameterizedTest
  @EnumSource(Template.class)
  void everyWordingGivesItsPrintedNumbersBack(Template template) {
    Random random = new Random(42);
    for (int i = 0; i < 500; i++) {
      long total = 1 + random.nextLong(1L << (10 + random.nextInt(30)));
      long reserved = random.nextLong(total + 1);
      long allocated = random.nextLong(reserved + 1);
      long pools = random.nextBoolean() ? random.nextLong(reserved - allocated + 1) : 0;
      long limit = random.nextBoolean() ? random.nextLong(total + 1) : -1;
      long free = random.nextLong(total - reserved + 1);
      long request = random.nextLong(2 * total + 1);
      int device = random.nextInt(16);
      String processes =
          random.nextBoolean()
              ? "Process 77 has 1.13 GiB memory in use. Including non-PyTorch memory, this process"
                  + " has 4.65 GiB memory in use. Process 1 has 512 bytes memory in use. "
              : "";
      OutOfMemoryMessage written =
          new OutOfMemoryMessage(
              device, request, total, free, limit, allocated, reserved, pools, processes);
      OomMessage read = OomMessageParser.parse(written.text(template));

      boolean parenthesized = template == Template.V1 || template == Template.V2_0;
      boolean withPools =
          pools > 0 && !parenthesized && template != Template.V2_1 && template != Template.V2_2;
      long held = withPools ? pools : 0;
      assertEquals(WORDINGS.get(template), read.wording());
      assertEquals("CUDA", read.api());
      assertEquals(device, read.deviceIndex());
      assertPrinted(request, read, Amount.REQUEST);
      assertPrinted(total, read, Amount.CAPACITY);
      assertPrinted(free, read, Amount.FREE);
      assertPrinted(allocated + held, read, Amount.ALLOCATED);
      assertEquals(withPools, read.amounts().containsKey(Amount.PRIVATE_POOLS));
      if (withPools) {
        assertPrinted(pools, read, Amount.PRIVATE_POOLS);
      }
      boolean withLimit = limit >= 0 && !WITHOUT_LIMIT.contains(template);
      assertEquals(withLimit, read.amounts().containsKey(Amount.LIMIT));
      if (withLimit) {
        assertPrinted(limit, read, Amount.LIMIT);
      }
      if (parenthesized) {
        assertPrinted(reserved, read, Amount.RESERVED);
        assertNull(read.amounts().get(Amount.CACHED));
      } else {
        assertPrinted(reserved - allocated - held, read, Amount.CACHED);
        assertEquals(processes.isEmpty() ? 0 : 2, read.processes().size());
        assertEquals(!processes.isEmpty(), read.amounts().containsKey(Amount.THIS_PROCESS));
      }
      ByteRange cached = read.cached().orElseThrow();
      long trueCached = reserved - allocated - held;
      assertTrue(
          cached.low() <= trueCached && trueCached <= cached.high(),
          () -> cached + " " + trueCached);
    }
  }

  /** The text, and an interval that holds the number that was printed. */
  private static void assertPrinted(long bytes, OomMessage message, Amount amount) {
    PrintedSize size = message.amounts().get(amount);
    assertEquals(ByteFormat.formatSize(bytes), size.text(), amount.name());
    assertTrue(
        size.bytes().low() <= bytes && bytes <= size.bytes().high(),
        () -> amount + " " + bytes + " " + size);
  }

  @Test
  void theOldestWordingPrintsTheSlackAsCached() {
    OomMessage message =
        OomMessageParser.parse(
            OomTexts.cached("4.88 GiB", "15.75 GiB", "3.62 GiB", "3.67 GiB", "7.39 GiB"));
    assertEquals(Wording.CACHED, message.wording());
    assertEquals("7.39 GiB", message.amounts().get(Amount.CACHED).text());
    assertEquals(7.39 * 0x1p30, message.cached().orElseThrow().value(), 1);
  }

  @Test
  void theSixLinesOfTheAsyncBackendHaveNoReservedMemory() {
    OomMessage message =
        OomMessageParser.parse(
            OomTexts.async("686.00 MiB", "79.35 GiB", "54.14 GiB", "27.12 MiB", "70.00 GiB"));
    assertEquals(Wording.ASYNC, message.wording());
    assertEquals(0, message.deviceIndex());
    assertEquals("54.14 GiB", message.amounts().get(Amount.ALLOCATED).text());
    assertEquals("686.00 MiB", message.amounts().get(Amount.REQUEST).text());
    assertEquals("79.35 GiB", message.amounts().get(Amount.CAPACITY).text());
    assertEquals("27.12 MiB", message.amounts().get(Amount.FREE).text());
    assertEquals("70.00 GiB", message.amounts().get(Amount.LIMIT).text());
    assertTrue(message.cached().isEmpty());
  }

  @Test
  void twoToThe64IsNoLimitAndNoProcessSize() {
    OomMessage message =
        OomMessageParser.parse(
            OomTexts.async("1.00 GiB", "8.00 GiB", "6.00 GiB", "0 bytes", "17179869184.00 GiB"));
    assertFalse(message.amounts().containsKey(Amount.LIMIT));
    OomMessage hidden =
        OomMessageParser.parse(
            OomTexts.sentences(
                "capacity",
                "1.00 GiB",
                "8.00 GiB",
                "6.00 GiB",
                "0 bytes",
                "1.20 GiB",
                "Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use. ",
                "",
                ""));
    assertTrue(hidden.processesHidden());
    assertFalse(hidden.amounts().containsKey(Amount.THIS_PROCESS));
  }

  @Test
  void requestsOverAnExabyteAndPreemptiveRefusalsHaveVerdictsWithoutNumbers() {
    OomMessage exabyte = OomMessageParser.parse(OutOfMemoryMessage.MORE_THAN_ONE_EXABYTE);
    assertEquals(Wording.EXABYTE, exabyte.wording());
    assertTrue(exabyte.hasNumbers());
    OomMessage preemptive =
        OomMessageParser.parse(
            "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
                + " per_process_memory_fraction limit. Requested size: 2.00 GiB");
    assertEquals(Wording.PREEMPTIVE, preemptive.wording());
    assertEquals("2.00 GiB", preemptive.amounts().get(Amount.REQUEST).text());
  }

  @Test
  void anUnknownCapacityIsNoNumber() {
    OutOfMemoryMessage written =
        new OutOfMemoryMessage(0, 1 << 20, -1, 5, -1, 1 << 20, 1 << 21, 0, "");
    assertFalse(
        OomMessageParser.parse(written.text(Template.V2_11))
            .amounts()
            .containsKey(Amount.CAPACITY));
  }

  @Test
  void aCutMessageGivesWhatItHas() {
    String whole =
        OomTexts.sentences(
            "capacity", "1.00 GiB", "8.00 GiB", "6.00 GiB", "0.50 GiB", "1.20 GiB", "", "", "");
    for (int length = whole.indexOf(" GPU 0"); length < whole.length(); length++) {
      OomMessage message = OomMessageParser.parse(whole.substring(0, length));
      assertEquals("1.00 GiB", message.amounts().get(Amount.REQUEST).text());
      assertTrue(
          List.of("6.00 GiB", "")
              .contains(
                  message.amounts().containsKey(Amount.ALLOCATED)
                      ? message.amounts().get(Amount.ALLOCATED).text()
                      : ""));
    }
  }

  @Test
  void printedDigitsSetTheInterval() {
    ByteRange bytes = PrintedSize.of("1.04", "GiB").bytes();
    assertEquals(1.035 * 0x1p30, bytes.low(), 1);
    assertEquals(1.045 * 0x1p30, bytes.high(), 1);
    assertEquals(new ByteRange(512, 512, 512), PrintedSize.of("512", "bytes").bytes());
    assertEquals(0, PrintedSize.of("0.00", "GiB").bytes().low());
  }
}
