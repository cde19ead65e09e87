package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.analysis.oom.OomMessage.ProcessUse;

/**
 * Reads the out-of-memory messages of PyTorch 1.0 to 2.14 (native backend and cudaMallocAsync, CUDA
 * and HIP spelling), and those of other programs that {@link Wording} lists.
 *
 * <p>It reads text without any white space, so that it does not matter where a terminal or a logger
 * broke the lines, and looks for each size by the words around it, so that a message that is cut
 * off or has foreign text inside still gives what it has.
 */
public final class OomMessageParser {
  /**
   * Whole numbers only, and a unit follows the whole of it or none does: nothing is tried twice.
   */
  private static final String SIZE =
      "(?<!\\d)(\\d{1,20}+(?:,\\d{3}){0,6}+(?:\\.\\d{1,9}+)?+)(bytes|[KMGT](?:i?B|(?=hbm|vmem|smem|free|atthebottom|\\.That))|B(?![a-z]))";

  /** A number of bytes without a unit. */
  private static final String BYTES = "(\\d{1,19}+)()";

  private static final int MAX_PROCESSES = 1024;

  /** More than this beside PyTorch's memory is another process. */
  private static final double MAX_CONTEXT_BYTES = 0x1p30;

  private static final Map<Amount, Pattern> SIZES = new EnumMap<>(Amount.class);

  static {
    size(
        Amount.REQUEST,
        "(?:[Tt]riedtoallocate|OutofGPUmemorytryingtoallocate|Requested:|Requestedsize:|Requestedsizewas|whiletryingtoallocate|outofmemorytoallocate|failedtoallocate"
            + "|[Oo]utofmemoryallocating|Cannotallocate|cannotallocate|allocating|requestfor"
            + "|Unabletoallocate|GPUmemory\\(|\\(failedtoallocate|Attemptingto(?:reserve|allocate))"
            + SIZE,
        "(?:bufferofsize|allocationofsize|requestedbytesof|Requestedamountofmemory\\()" + BYTES,
        "rtMallocfail.{0,80}size:" + BYTES,
        "CUDAmemorywithbytesize" + BYTES,
        "cantallocate" + BYTES + "Bytesofmemory",
        "failedtoallocate[\\d.]{1,20}[KMGT]?(?:i?B)?\\((\\d{1,20})(bytes)\\)fromdevice",
        SIZE + "KVcacheisneeded");
    size(
        Amount.CAPACITY,
        SIZE + "totalcapacity",
        "(?:totalcapaci?tyof|Devicelimit:)" + SIZE,
        "Freememory/Totalmemory:\\d{1,20}/" + BYTES,
        "[Ff]reememoryondevice(?:cuda:\\d{1,4})?\\([\\d.]{1,12}/" + SIZE,
        "ofmemoryinmemoryspace\\w{1,20}\\.Used[\\d.]{1,12}[KMGT]of" + SIZE);
    size(
        Amount.FREE,
        SIZE + "free;",
        "ofwhich" + SIZE,
        "Thereare" + SIZE + "free",
        "Free\\(accordingto(?:CUDA|HIP)\\):" + SIZE,
        "Freememory/Totalmemory:" + BYTES,
        "(?:availablememoryis(?:only)?|availableKVcachememory\\()" + SIZE,
        "Availablememoryof" + BYTES,
        // The unit stands once, after the total.
        "[Ff]reememoryondevice(?:cuda:\\d{1,4})?\\((\\d[\\d.]{0,11})/[\\d.]{1,12}(GiB)");
    size(
        Amount.ALLOCATED,
        SIZE + "alreadyallocated",
        "(?:Oftheallocatedmemory|Currentlyallocated:|MPSallocated:|allocatedsofar:|bytes\\(total)"
            + SIZE,
        "InUse:" + BYTES,
        "(?:Memorypool|CUDAallocator|CuArraysallocator)usage:" + SIZE);
    size(Amount.CACHED, SIZE + "cached\\)", SIZE + "isreserve(?!dintotal)");
    size(
        Amount.RESERVED,
        SIZE + "reservedintotal",
        "Memorypoolusage:[\\d.]{1,12}\\w{3,5}\\(" + SIZE + "reserved");
    size(
        Amount.LIMIT,
        SIZE + "allowed;",
        "(?:\\(setbyuser-suppliedmemoryfraction\\):|maxallowed:|limitsetto:|\\(cappedat|hard=)"
            + SIZE);
    size(Amount.OTHER_ALLOCATIONS, "otherallocations:" + SIZE);
    size(Amount.PRIVATE_POOLS, "with" + SIZE + "allocatedinprivatepools");
    size(Amount.THIS_PROCESS, "thisprocesshas" + SIZE + "memoryinuse");
  }

  /** What is used of a GPU, whoever uses it. */
  private static final Pattern USED =
      Pattern.compile("EffectiveGPUmemoryusage:[\\d.]{1,8}%\\(" + SIZE + "/" + SIZE + "\\)");

  private static final Pattern PROCESS =
      Pattern.compile("Process(\\d{1,18})has" + SIZE + "memoryinuse");
  private static final Pattern DEVICE =
      Pattern.compile("\\([GN]PU(\\d{1,6});|\\.GPU(\\d{1,6})has|Allocationondevice(\\d{1,6})would");
  private static final Pattern API =
      Pattern.compile("(CUDA|HIP|XPU|NPU|MPS)(?:backend)?outofmemory");
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
    Matcher used = USED.matcher(text);
    if (used.find()) {
      PrintedSize capacity = sizeOf(used, 3);
      ByteRange free = capacity.bytes().minus(sizeOf(used, 1).bytes());
      amounts.put(Amount.CAPACITY, capacity);
      amounts.put(
          Amount.FREE,
          new PrintedSize(PrintedSize.describe(free.value()), OomMessage.atLeastZero(free)));
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
    OomMessage message =
        new OomMessage(
            Wording.of(text),
            api.find() ? api.group(1) : "",
            device(text),
            amounts,
            processes,
            hidden,
            hint);
    return withOwnProcess(message);
  }

  /**
   * Without "this process", that of the listed ones is ours which holds just more than PyTorch. The
   * driver lists all that are on the GPU: where the listed ones leave no room for another, and one
   * alone holds enough, it is ours however much it holds.
   */
  private static OomMessage withOwnProcess(OomMessage message) {
    Optional<ByteRange> cached = message.cached();
    Optional<ByteRange> allocated = message.bytes(Amount.ALLOCATED);
    if (cached.isEmpty() || allocated.isEmpty() || message.bytes(Amount.THIS_PROCESS).isPresent()) {
      return message;
    }
    ByteRange reserved = cached.get().plus(allocated.get());
    List<ProcessUse> large =
        message.processes().stream()
            .filter(use -> use.size().bytes().high() >= reserved.low())
            .toList();
    if (large.size() == 1 && isOnlyRoomOf(message, reserved)) {
      return message.withOwn(large.getFirst());
    }
    return large.stream()
        .filter(use -> use.size().bytes().value() - reserved.value() < MAX_CONTEXT_BYTES)
        .min(Comparator.comparingDouble((ProcessUse use) -> use.size().bytes().value()))
        .map(message::withOwn)
        .orElse(message);
  }

  /** Whether the listed processes leave less of the GPU than PyTorch has reserved. */
  private static boolean isOnlyRoomOf(OomMessage message, ByteRange reserved) {
    Optional<ByteRange> free = message.bytes(Amount.FREE);
    return message
        .bytes(Amount.CAPACITY)
        .filter(_ -> free.isPresent())
        .map(capacity -> capacity.minus(free.orElseThrow()))
        .filter(used -> used.high() - listedBytes(message) < reserved.low())
        .isPresent();
  }

  private static double listedBytes(OomMessage message) {
    return message.processes().stream().mapToDouble(use -> use.size().bytes().low()).sum();
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
}
