package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.analysis.oom.OomMessage.ProcessUse;
import org.allocsim.analysis.oom.OomMessage.Wording;

/**
 * Reads the out-of-memory messages of PyTorch 1.0 to 2.14 (native backend and cudaMallocAsync, CUDA
 * and HIP spelling).
 *
 * <p>It reads text without any white space, so that it does not matter where a terminal or a logger
 * broke the lines, and looks for each size by the words around it, so that a message that is cut
 * off or has foreign text inside still gives what it has.
 */
public final class OomMessageParser {
  private static final String SIZE = "(\\d{1,20}(?:\\.\\d{1,9})?)(bytes|[KMGT]i?B)";
  private static final int MAX_PROCESSES = 1024;

  private static final Map<Amount, Pattern> SIZES = new EnumMap<>(Amount.class);

  static {
    size(Amount.REQUEST, "(?:Triedtoallocate|Requested:|Requestedsize:)" + SIZE);
    size(Amount.CAPACITY, SIZE + "totalcapacity", "(?:totalcapaci?tyof|Devicelimit:)" + SIZE);
    size(Amount.FREE, SIZE + "free;", "ofwhich" + SIZE, "Free\\(accordingtoCUDA\\):" + SIZE);
    size(
        Amount.ALLOCATED,
        SIZE + "alreadyallocated",
        "(?:Oftheallocatedmemory|Currentlyallocated:)" + SIZE);
    size(Amount.CACHED, SIZE + "cached\\)", SIZE + "isreservedbyPyTorchbutunallocated");
    size(Amount.RESERVED, SIZE + "reservedintotal");
    size(Amount.LIMIT, SIZE + "allowed;", "\\(setbyuser-suppliedmemoryfraction\\):" + SIZE);
    size(Amount.PRIVATE_POOLS, "with" + SIZE + "allocatedinprivatepools");
    size(Amount.THIS_PROCESS, "thisprocesshas" + SIZE + "memoryinuse");
  }

  private static final Pattern PROCESS =
      Pattern.compile("Process(\\d{1,18})has" + SIZE + "memoryinuse");
  private static final Pattern DEVICE =
      Pattern.compile("\\(GPU(\\d{1,6});|\\.GPU(\\d{1,6})has|Allocationondevice(\\d{1,6})would");
  private static final Pattern API = Pattern.compile("(CUDA|HIP|XPU|MPS)(?:backend)?outofmemory");
  private static final Pattern HINT =
      Pattern.compile("trysetting(PYTORCH_(?:[A-Z]{1,8}_)?ALLOC_CONF)");

  private OomMessageParser() {}

  private static void size(Amount amount, String... alternatives) {
    SIZES.put(amount, Pattern.compile(String.join("|", alternatives)));
  }

  /** Reads one message that stands alone, with its white space. */
  public static OomMessage parse(String text) {
    StringBuilder compact = new StringBuilder();
    CompactText.append(text, compact);
    return parseCompact(compact);
  }

  /** Reads the message that begins at the start of a text without white space. */
  static OomMessage parseCompact(CharSequence text) {
    Map<Amount, PrintedSize> amounts = new EnumMap<>(Amount.class);
    boolean hidden = false;
    for (Map.Entry<Amount, Pattern> entry : SIZES.entrySet()) {
      Matcher matcher = entry.getValue().matcher(text);
      if (!matcher.find()) {
        continue;
      }
      PrintedSize size = sizeOf(matcher, 1);
      if (!size.isUnknown() || entry.getKey() == Amount.REQUEST) {
        amounts.put(entry.getKey(), size);
      } else if (entry.getKey() == Amount.THIS_PROCESS) {
        hidden = true;
      }
    }
    List<ProcessUse> processes = new ArrayList<>();
    Matcher process = PROCESS.matcher(text);
    while (process.find() && processes.size() < MAX_PROCESSES) {
      PrintedSize size = sizeOf(process, 2);
      if (size.isUnknown()) {
        hidden = true;
      } else {
        processes.add(new ProcessUse(Long.parseLong(process.group(1)), size));
      }
    }
    Matcher hintMatcher = HINT.matcher(text);
    String hint = hintMatcher.find() ? hintMatcher.group(1) : "";
    Matcher api = API.matcher(text);
    return new OomMessage(
        wording(text.toString(), hint, amounts),
        api.find() ? api.group(1) : "",
        device(text),
        amounts,
        processes,
        hidden,
        hint);
  }

  /** The size in the first group pair that took part, counted from {@code first}. */
  private static PrintedSize sizeOf(Matcher matcher, int first) {
    int group = first;
    while (matcher.group(group) == null) {
      group += 2;
    }
    return PrintedSize.of(matcher.group(group), matcher.group(group + 1));
  }

  private static int device(CharSequence text) {
    Matcher matcher = DEVICE.matcher(text);
    if (!matcher.find()) {
      return -1;
    }
    for (int group = 1; group <= matcher.groupCount(); group++) {
      if (matcher.group(group) != null) {
        return Integer.parseInt(matcher.group(group));
      }
    }
    return -1;
  }

  private static Wording wording(String text, String hint, Map<Amount, PrintedSize> amounts) {
    if (text.contains("wouldexceedallowedmemory")) {
      return Wording.ASYNC;
    }
    if (text.contains("Triedtoallocatemorethan1EB")) {
      return Wording.EXABYTE;
    }
    if (text.contains("preemptivelyrejected")) {
      return Wording.PREEMPTIVE;
    }
    if (text.contains("totalcapactyof")) {
      return Wording.V2_1;
    }
    if (text.contains("totalcapacityof")) {
      if (text.contains("docs.pytorch.org")) {
        return Wording.V2_11;
      }
      return hint.equals("PYTORCH_ALLOC_CONF") ? Wording.V2_9 : Wording.V2_2;
    }
    if (amounts.containsKey(Amount.CACHED)) {
      return Wording.CACHED;
    }
    if (amounts.containsKey(Amount.RESERVED)) {
      return text.contains("trysettingmax_split_size_mb")
          ? Wording.RESERVED_HINT
          : Wording.RESERVED;
    }
    return Wording.BARE;
  }
}
