package org.allocsim.simulator.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.junit.jupiter.api.Test;

class OutOfMemoryMessageTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  private final OutOfMemoryMessage limited =
      new OutOfMemoryMessage(
          1, 20 * MIB, 80 * GIB, 2 * GIB, 4 * GIB, 3 * GIB, 3 * GIB + 512 * MIB, 256 * MIB, "P. ");
  private final OutOfMemoryMessage plain =
      new OutOfMemoryMessage(0, 2 * MIB, 80 * GIB, 0, -1, 1000, 2 * MIB, 0, "");

  @Test
  void version211NamesProcessesLimitAndPrivatePools() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 1 has a total capacity of 80.00 GiB"
            + " of which 2.00 GiB is free. P. 4.00 GiB allowed; Of the allocated memory 3.25 GiB is"
            + " allocated by PyTorch, with 256.00 MiB allocated in private pools (e.g., CUDA"
            + " Graphs), and 256.00 MiB is reserved by PyTorch but unallocated. If reserved but"
            + " unallocated memory is large try setting"
            + " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See"
            + " documentation for Memory Management "
            + " (https://docs.pytorch.org/docs/stable/notes/cuda.html"
            + "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)",
        limited.text(Template.V2_11));
  }

  @Test
  void version211WithoutLimitAndPrivatePoolsLeavesTheirClausesOut() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 80.00 GiB"
            + " of which 0 bytes is free. Of the allocated memory 1000 bytes is allocated by"
            + " PyTorch, and 2.00 MiB is reserved by PyTorch but unallocated. If reserved but"
            + " unallocated memory is large try setting"
            + " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See"
            + " documentation for Memory Management "
            + " (https://docs.pytorch.org/docs/stable/notes/cuda.html"
            + "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)",
        plain.text(Template.V2_11));
  }

  @Test
  void version29NamesTheGeneralEnvironmentVariable() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 80.00 GiB"
            + " of which 0 bytes is free. Of the allocated memory 1000 bytes is allocated by"
            + " PyTorch, and 2.00 MiB is reserved by PyTorch but unallocated. If reserved but"
            + " unallocated memory is large try setting"
            + " PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See"
            + " documentation for Memory Management "
            + " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        plain.text(Template.V2_10));
  }

  @Test
  void versions25To29NameLimitPrivatePoolsAndTheCudaVariable() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 1 has a total capacity of 80.00 GiB"
            + " of which 2.00 GiB is free. P. 4.00 GiB allowed; Of the allocated memory 3.25 GiB is"
            + " allocated by PyTorch, with 256.00 MiB allocated in private pools (e.g., CUDA"
            + " Graphs), and 256.00 MiB is reserved by PyTorch but unallocated. If reserved but"
            + " unallocated memory is large try setting"
            + " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See"
            + " documentation for Memory Management "
            + " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        limited.text(Template.V2_5));
  }

  @Test
  void version24IsTheSameWithoutTheLimit() {
    assertEquals(
        limited.text(Template.V2_5).replace("4.00 GiB allowed; ", ""), limited.text(Template.V2_4));
  }

  @Test
  void version214HasNoHintWhereExpandableSegmentsAreOn() {
    String hinting = limited.text(Template.V2_11);
    assertEquals(
        hinting.substring(0, hinting.indexOf(" If reserved")),
        limited.text(Template.V2_14_EXPANDABLE));
  }

  @Test
  void version22DoesNotKnowPrivatePools() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 1 has a total capacity of 80.00 GiB"
            + " of which 2.00 GiB is free. P. Of the allocated memory 3.00 GiB is"
            + " allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated. If"
            + " reserved but unallocated memory is large try setting"
            + " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See"
            + " documentation for Memory Management "
            + " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        limited.text(Template.V2_2));
  }

  @Test
  void version21MisspellsCapacityAndHintsAtMaxSplitSize() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacty of 80.00 GiB"
            + " of which 0 bytes is free. Of the allocated memory 1000 bytes is allocated by"
            + " PyTorch, and 2.00 MiB is reserved by PyTorch but unallocated. If reserved but"
            + " unallocated memory is large try setting max_split_size_mb to avoid fragmentation. "
            + " See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
        plain.text(Template.V2_1));
  }

  @Test
  void version20PutsTheAmountsInParentheses() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 1; 80.00 GiB total capacity; 3.00 GiB"
            + " already allocated; 2.00 GiB free; 4.00 GiB allowed; 3.50 GiB reserved in total by"
            + " PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to"
            + " avoid fragmentation.  See documentation for Memory Management and"
            + " PYTORCH_CUDA_ALLOC_CONF",
        limited.text(Template.V2_0));
  }

  @Test
  void version1EndsWithoutAHint() {
    assertEquals(
        "CUDA out of memory. Tried to allocate 2.00 MiB (GPU 0; 80.00 GiB total capacity; 1000"
            + " bytes already allocated; 0 bytes free; 2.00 MiB reserved in total by PyTorch)",
        plain.text(Template.V1));
  }

  @Test
  void unknownDeviceSizeIsSaidSo() {
    String text = new OutOfMemoryMessage(0, 2 * MIB, -1, 0, -1, 0, 0, 0, "").text(Template.V2_11);
    assertEquals(
        "GPU 0 has a total capacity of unknown of which 0 bytes is free.",
        text.substring(text.indexOf("GPU"), text.indexOf(" Of the")));
  }
}
