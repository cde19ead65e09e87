package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of other programs and of the host, and messages in bad company. */
class OtherProgramsTest {
  private static final String SIZES =
      " GPU 0 has a total capacity of %s of which %s is free. Of the allocated memory %s is"
          + " allocated by PyTorch, and %s is reserved by PyTorch but unallocated.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          MPS backend out of memory (MPS allocated: 5.00 GiB, other allocations: 1.50 GiB, max allowed: 9.00 GiB). Tried to allocate 3.00 GiB on private pool. | CAPPED
          MPS backend out of memory (MPS allocated: 1.00 GiB, other allocations: 1.50 GiB, max allowed: 9.00 GiB). Tried to allocate 3.00 GiB on private pool. | UNKNOWN
          MPS backend out of memory (MPS allocated: 7.80 GiB, other allocations: 6.94 GiB, max allowed: 18.13 GiB). Tried to allocate 3.46 GiB on shared pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure). | CAPPED
          XPU out of memory. Tried to allocate 192.00 MiB. GPU 3 has a total capacity of 31.89 GiB of which 13.22 GiB is free. Of the allocated memory 17.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory. | NOT_ALLOCATOR
          XPU out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 31.89 GiB of which 13.22 GiB is free. 16.00 GiB allowed; Of the allocated memory 15.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory. | CAPPED
          RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 20.10G of 15.48G hbm. | FULL
          RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 40.10M of 16.00M vmem. | FULL
          Resource exhausted: Attempting to reserve 3.50G at the bottom of memory. That was not possible. There are 3.00G free, 0B reserved, and 3.00G reservable. | FULL
          Resource exhausted: Attempting to reserve 3.50G at the bottom of memory. That was not possible. There are 4.10G free, 0B reserved, and 1.00G reservable. | FRAGMENTED
          Resource exhausted: Attempting to allocate 90.10M. That was not possible. There are 70.20M free. | FULL
          RESOURCE_EXHAUSTED: Out of memory while trying to allocate 7340032 bytes. | UNKNOWN
          failed to allocate 128.00TiB (140737488355328 bytes) from device: HIP_ERROR_OutOfMemory | IMPOSSIBLE
          failed to allocate 7.50G (8053063680 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory | UNKNOWN
          RESOURCE_EXHAUSTED: Out of memory allocating 7000000000000 bytes. | IMPOSSIBLE
          ValueError: Free memory on device cuda:1 (9.50/23.60 GiB) on startup is less than desired GPU memory utilization (0.9, 21.24 GiB). | ELSEWHERE
          ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`. | CAPPED
          To serve one request (5.00 GiB KV cache is needed, which is larger than the available KV cache memory (2.00 GiB). | FULL
          The model's max seq len (9000) is larger than the maximum number of tokens that can be stored in KV cache (800). | FULL
          RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. | CAPPED
          ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes. | ELSEWHERE
          Out of memory allocating 3,000,000 bytes (allocated so far: 8,000,000 bytes, limit set to: 10,000,000 bytes). | CAPPED
          Out of memory allocating 1,000,000 bytes (allocated so far: 8,000,000 bytes). | UNKNOWN
          std::bad_alloc: out_of_memory: RMM failure at:pool_memory_resource.hpp:1: Maximum pool size exceeded | CAPPED
          Out of memory error on GPU 0. Cannot allocate 1.500000GB memory on GPU 0, available memory is only 3.000000MB. | UNKNOWN
          XPU out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 9.00 GiB. Of the allocated memory 8.00 GiB is allocated by PyTorch, and 50.00 MiB is reserved by PyTorch but unallocated. | FULL
          [TRT] [E] Error Code 2: OutOfMemory (Requested size was 7340032 bytes.) | UNKNOWN
          AllocateRawInternal Failed to allocate memory for requested buffer of size 4000000000000000001 | IMPOSSIBLE
          BFCArena::Extend Available memory of 1000 is smaller than requested bytes of 2000 | CAPPED
          Requested amount of memory (7340032 bytes) could not be allocated. | UNKNOWN
          [vllm] free memory on device cuda:0 (9.50/23.60 GiB) on startup is less than desired GPU memory utilization (0.9, 21.24 GiB) | ELSEWHERE
          I tried to allocate  90.00 MiB (GPU 0; 4.00 GiB total capacity; 3.25 GiB already allocated; 0 bytes free; 3.45 GiB reserved in total by PyTorch) | FRAGMENTED
          TotalUsedMemStatistics : 9000 plus TotalUsedByEventMemStatistics : 0 and plus alloc size : 2000 is more than total mem size : 10000. | FULL
          TotalUsedMemStatistics : 9000 plus alloc size : 2000 is more than total mem size : 10000. | FULL
          ggml_vulkan: Requested buffer size exceeds device buffer size limit: ErrorOutOfDeviceMemory | CAPPED
          ggml_vulkan: Requested buffer size exceeds device memory allocation limit: ErrorOutOfDeviceMemory | CAPPED
          Call rtMalloc fail, purpose: page caching, type = 2, size:640000, device_id:0 | UNKNOWN
          can't allocate 640000 Bytes of memory on device | UNKNOWN
          Failed to allocate CUDA memory with byte size 640000 on GPU 0: CNMEM_STATUS_OUT_OF_MEMORY, falling back to pinned system memory | CAPPED
          ggml_backend_cuda_buffer_type_alloc_buffer: allocating 640.00 MiB on device 3: cudaMalloc failed: out of memory | UNKNOWN
          [2025-01-23 14:33:04.213] [RMM] [error] [A][Stream 0x1][Upstream 64B][FAILURE maximum pool size exceeded] | CAPPED
          AssertionError: Impossible to fit in any sequence in kvCache | FULL
          ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.8. | CAPPED
          ValueError: Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token. | CAPPED
          numpy._core._exceptions._ArrayMemoryError: cannot get 30.1 GiB | HOST
          OSError: [Errno 28] No space left on device: '/dev/shm/abc' | HOST
          RuntimeError: unable to allocate shared memory(shm) for file </torch_9_9>: Success (0) | HOST
          NCCL WARN Error while creating shared memory segment /dev/shm/nccl-abc (size 640) | HOST
          the host /dev/shm or /tmp mount likely just ran out of space | HOST
          java.lang.RuntimeException: Can't allocate [HOST] memory: 640 | HOST
          Failed to allocate [640] bytes from HOST memory | HOST
          terminate called after throwing an instance of 'std::bad_alloc' | HOST
          [Errno 12] Cannot allocate memory | HOST
          [9.1] Out of memory: Killed process 77 (python3) total-vm:9kB | HOST
          [9.1] Memory cgroup out of memory: Killed process 77 (python3) total-vm:9kB | HOST
          slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0. | HOST
          slurmstepd: error: Exceeded step memory limit at some point. | HOST
          slurmstepd: error: Step 7.0 exceeded memory limit (9000 > 8000), being killed | HOST
          srun: error: node7: task 0: Out Of Memory | HOST
          srun: error: node7: tasks 0-3,5: Out Of Memory | HOST
          Container killed by YARN for exceeding memory limits. 9.1 GB of 9 GB physical memory used. | HOST
          TERM_MEMLIMIT: job killed after reaching LSF memory usage limit. | HOST
          DataLoader worker (pid 77) is killed by signal: Killed. | HOST
          Error: model requires more system memory (30.1 GiB) than is available (9.5 GiB) | HOST
          OSError: [WinError 1455] The paging file is too small for this operation to complete. | HOST
          error: (-4:Insufficient memory) Failed to allocate 640 bytes in function 'OutOfMemoryError' | HOST
          It is possible that dataloader's workers are out of shared memory. | HOST
          This might be caused by insufficient shared memory (shm). | HOST
          could not allocate pinned host memory of size: 4096 | HOST
          DefaultCPUAllocator: can't allocate memory: you tried to allocate 640 bytes. | HOST
          MemoryError: Unable to allocate 30.1 GiB for an array with shape (9,) | HOST
          MemoryError: Unable to allocate array with shape (9,) and data type float64 | HOST
          OOM when allocating tensor with shape[9,9] and type float by allocator cpu | HOST
          """)
  void everyProgramsTextGetsItsVerdict(String text, OomVerdict verdict) throws IOException {
    OomExplanation explanation = only(text);
    assertEquals(verdict, explanation.verdict());
    assertFalse(explanation.headline().isEmpty());
    assertFalse(explanation.helps().isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "CUDA error: out of memory",
    "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
    "[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY",
    "[TRT] [E] 2: [a.cpp::resizePhysical::140] Error Code 2: OutOfMemory (no further information)",
    "rmm.rmm.RMMError: RMM_ERROR_OUT_OF_MEMORY",
    "vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
    "error: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
    "CUFFTError: cuFFT failed to allocate GPU or CPU memory)",
    "Executor creation failed due to insufficient GPU memory.",
    "Native API returns: -6 (PI_ERROR_OUT_OF_HOST_MEMORY)",
    "enforce allocating <= available failed at gpu_info.cc:89",
    "MemoryError: std::bad_alloc: CUDA error at: x.hpp:1: cudaErrorMemoryAllocation"
  })
  void wordsWithoutNumbersAreMentions(String text) throws IOException {
    assertEquals(List.of(), read(text).found());
    assertTrue(read(text).bare().count() > 0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.OutOfMemoryError: CUDA out of memory. ",
        "RuntimeError: OutOfMemoryError: CUDA out of memory. ",
        "torch.cuda.OutOfMemoryError: HIP out of memory. "
      })
  void theNameOfTheErrorIsNoMentionOfItsOwn(String name) throws IOException {
    String sizes = SIZES.formatted("24.00 GiB", "0.50 GiB", "23.00 GiB", "0.20 GiB");
    OomLog.Contents contents =
        read("except OutOfMemoryError as e:\n" + name + "Tried to allocate 2.00 GiB." + sizes);
    assertEquals(1, contents.found().size());
    assertEquals(0, contents.bare().count());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "If you are running out of memory, lower the share of the GPU.",
        "Effective GPU memory usage: 12.34% (1.234 GiB/10.000 GiB)",
        "OSError: [Errno 28] No space left on device: '/home/me/model'",
        "onnx runtime error 2: not enough space: expected 7, got 5"
      })
  void whatIsNoFailureIsNoMention(String text) throws IOException {
    assertEquals(List.of(), read(text).found());
    assertEquals(0, read(text).bare().count());
  }

  @ParameterizedTest
  @CsvSource({
    // Asked for, used of 16 GiB by anyone, used and reserved by the pool.
    "2.000 GiB, 12.000 GiB, 10.000 GiB, 11.500 GiB, NOT_ALLOCATOR",
    "2.000 GiB, 15.000 GiB, 14.000 GiB, 14.500 GiB, FULL",
    "2.000 GiB, 15.500 GiB, 11.000 GiB, 15.000 GiB, FRAGMENTED",
    "2.000 GiB, 15.500 GiB, 4.000 GiB, 4.000 GiB, ELSEWHERE",
    "20.000 GiB, 1.000 GiB, 0 bytes, 32.000 MiB, IMPOSSIBLE"
  })
  void theStatusBelowJuliasErrorDecides(
      String request, String used, String pool, String reserved, OomVerdict verdict)
      throws IOException {
    String text =
        """
        ERROR: Out of GPU memory trying to allocate %s
        Effective GPU memory usage: 50.00%% (%s/16.000 GiB)
        Memory pool usage: %s (%s reserved)
        """
            .formatted(request, used, pool, reserved);
    assertEquals(verdict, only(text).verdict());
    assertTrue(
        Stream.concat(only(text).helps().stream(), only(text).cannotHelp().stream())
            .noneMatch(line -> line.contains("PYTORCH")));
    only(text)
        .account()
        .ifPresent(account ->
            assertTrue(
                account.parts().stream().noneMatch(part -> part.name().contains("PyTorch"))));
  }

  @Test
  void aMessageCutWithinItsLastWordsKeepsTheCachedSize() throws IOException {
    String sizes = SIZES.formatted("24.00 GiB", "0.50 GiB", "22.00 GiB", "1.20 GiB");
    String text = "CUDA out of memory. Tried to allocate 1.50 GiB." + sizes;
    assertEquals(
        OomVerdict.FRAGMENTED, only(text.substring(0, text.indexOf("d by PyTorch but"))).verdict());
  }

  @Test
  void juliasLimitIsALimit() throws IOException {
    String text =
        """
        ERROR: Out of GPU memory trying to allocate 2.000 GiB
        Effective GPU memory usage: 50.00% (8.000 GiB/16.000 GiB)
        Memory pool usage: 7.000 GiB (7.000 GiB reserved)
        Memory limit: soft = 6.000 GiB, hard = 8.000 GiB
        """;
    assertEquals(OomVerdict.CAPPED, only(text).verdict());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          allocating 640.00 MiB on device 3: cudaMalloc failed: out of memory | -ngl | 640.00 MiB
          Failed to allocate memory for requested buffer of size 640000 | arena_extend_strategy | 640000 bytes
          [W] Requested amount of GPU memory (640000 bytes) could not be allocated. | setMemoryPoolLimit | 640000 bytes
          Out of memory error on GPU 0. Cannot allocate 64.000000MB memory on GPU 0, available memory is only 3.000000MB. | auto_growth | 64.000000 MB
          RESOURCE_EXHAUSTED: Out of memory while trying to allocate 640000 bytes. | BFC | 640000 bytes
          """)
  void aProgramThatPrintsOnlyTheRequestGetsItsOwnAdvice(String text, String help, String request)
      throws IOException {
    OomExplanation explanation = only(text);
    assertEquals(OomVerdict.UNKNOWN, explanation.verdict());
    assertTrue(explanation.headline().contains(request), explanation.headline());
    assertTrue(explanation.helps().getFirst().contains(help), explanation.helps().getFirst());
    assertTrue(explanation.helps().getLast().contains("nvidia-smi"));
    assertTrue(explanation.helps().stream().noneMatch(line -> line.contains("PyTorch")));
  }

  @Test
  void settingsOfAnNpuAreThoseOfTorchNpu() throws IOException {
    String text =
        "NPU out of memory. Tried to allocate 900.00 MiB (NPU 1; 32.00 GiB total capacity; 24.00"
            + " GiB already allocated; 24.00 GiB current active; 9.00 MiB free; 31.00 GiB reserved"
            + " in total by PyTorch) If reserved memory is >> allocated memory try setting"
            + " max_split_size_mb to avoid fragmentation.";
    OomExplanation explanation = only(text);
    assertEquals(OomVerdict.FRAGMENTED, explanation.verdict());
    assertTrue(
        explanation.helps().stream()
            .anyMatch(line -> line.startsWith("PYTORCH_NPU_ALLOC_CONF=expandable_segments:True")));
    assertTrue(explanation.helps().stream().noneMatch(line -> line.contains("CUDA_ALLOC_CONF")));
  }

  @Test
  void theReasonThatAnnouncesASummaryBelongsToTheDumpBelow() throws IOException {
    String text =
        """
        I bfc_allocator.cc:1] Stats:
        Limit:   1400
        InUse:   1400
        W bfc_allocator.cc:2] Allocator (cuda_host_bfc) ran out of memory trying to allocate 3.00GiB.  Current allocation summary follows.
        I bfc_allocator.cc:3] Bin (256): Total Chunks: 0, Chunks in use: 0.
        """;
    List<BfcDump> dumps = read(text).dumps();
    assertEquals(
        List.of(OomVerdict.UNKNOWN, OomVerdict.HOST),
        dumps.stream().map(BfcDump::verdict).toList());
  }

  @ParameterizedTest
  @CsvSource({"GPU_0_bfc, UNKNOWN", "gpu_host_bfc, HOST", "cpu, HOST"})
  void anAllocatorOfTheHostSaysThatTheHostRanOut(String allocator, OomVerdict verdict)
      throws IOException {
    String text =
        "W bfc_allocator.cc:2] Allocator (%s) ran out of memory trying to allocate 3.00GiB"
                .formatted(allocator)
            + "\nI bfc_allocator.cc:3] Bin (256): Total Chunks: 0, Chunks in use: 0.\n";
    assertEquals(verdict, read(text).dumps().getFirst().verdict());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          (EngineCore pid=7) ValueError: one request needs more, (5.00 GiB KV cac | he is needed, which is larger than the available KV cache memory (2.00 GiB). | FULL
          (EngineCore pid=7) ERROR 01-01 10:00:00 [a.py:1] ValueError: No available mem | ory for the cache blocks. | CAPPED
          [rank1]: RuntimeError: It is possible that the workers are out of sha | red memory. | HOST
          """)
  void aPhraseThatATerminalBrokeInTwoIsFound(String first, String second, OomVerdict verdict)
      throws IOException {
    assertEquals(verdict, only("begin\n" + first + "\n" + second + "\nend\n").verdict());
  }

  @ParameterizedTest
  @CsvSource({
    // The request, GPU, free, allocated, cached: others hold 12, 3, 1.4, 30 and 2 GiB.
    "2.00 GiB, 24.00 GiB, 0.50 GiB, 11.00 GiB, 0.50 GiB, ELSEWHERE",
    "2.00 GiB, 24.00 GiB, 0.50 GiB, 20.00 GiB, 0.50 GiB, ELSEWHERE",
    "2.00 GiB, 24.00 GiB, 0.50 GiB, 21.60 GiB, 0.50 GiB, FULL",
    "2.00 GiB, 40.00 GiB, 0.50 GiB, 5.00 GiB, 4.50 GiB, ELSEWHERE",
    "5.00 GiB, 24.00 GiB, 0.50 GiB, 21.00 GiB, 0.50 GiB, FULL",
    // Not more free than the driver's rounding: the cache decides.
    "20.00 MiB, 24.00 GiB, 25.00 MiB, 22.90 GiB, 300.00 MiB, FRAGMENTED",
    "20.00 MiB, 24.00 GiB, 25.00 MiB, 23.00 GiB, 4.00 MiB, FULL",
    "20.00 MiB, 24.00 GiB, 90.00 MiB, 22.90 GiB, 300.00 MiB, NOT_ALLOCATOR"
  })
  void othersHoldWhatIsShortOrDoNot(
      String request,
      String capacity,
      String free,
      String allocated,
      String cached,
      OomVerdict verdict)
      throws IOException {
    String sizes = SIZES.formatted(capacity, free, allocated, cached);
    String text = "CUDA out of memory. Tried to allocate " + request + "." + sizes;
    assertEquals(verdict, only(text).verdict());
    assertEquals(List.of(verdict), List.copyOf(only(text).possible()));
  }

  @Test
  void withoutTheCachedSizeLimitAndSumsDecide() throws IOException {
    String start = "CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of";
    String tail = " Of the allocated memory 7.50 GiB is allocated by PyTorch...";
    assertEquals(
        OomVerdict.CAPPED,
        only(start + " 24.00 GiB of which 9.00 GiB is free. 8.00 GiB allowed;" + tail).verdict());
    assertEquals(
        OomVerdict.NOT_ALLOCATOR,
        only(start + " 24.00 GiB of which 9.00 GiB is free." + tail).verdict());
    OomExplanation full = only(start + " 8.00 GiB of which 0.25 GiB is free." + tail);
    assertEquals(OomVerdict.FULL, full.verdict());
    assertTrue(full.headline().contains("512.00 MiB short"), full.headline());
    assertEquals(
        OomVerdict.UNKNOWN, only(start + " 9.00 GiB of which 0.25 GiB is free." + tail).verdict());
  }

  @Test
  void aRoundFractionExplainsWhatTheWordingHides() throws IOException {
    String text = "CUDA out of memory. Tried to allocate 200.00 MiB." + SIZES;
    String hides = text.replace("capacity", "capacty");
    String[] half = {"16.00 GiB", "7.00 GiB", "7.80 GiB", "50.00 MiB"};
    assertEquals(OomVerdict.CAPPED, only(hides.formatted((Object[]) half)).verdict());
    assertEquals(OomVerdict.NOT_ALLOCATOR, only(text.formatted((Object[]) half)).verdict());
    assertEquals(
        OomVerdict.NOT_ALLOCATOR,
        only(hides.formatted("16.00 GiB", "7.00 GiB", "7.25 GiB", "50.00 MiB")).verdict());
  }

  @Test
  void theProcessNearestToPyTorchsMemoryIsOurs() throws IOException {
    String text =
        "CUDA out of memory. Tried to allocate 2.00 GiB."
            + SIZES
                .formatted("24.00 GiB", "0.50 GiB", "12.00 GiB", "1.00 GiB")
                .replace(
                    "Of the",
                    "Process 4 has 9.70 GiB memory in use. Process 8 has 13.40 GiB"
                        + " memory in use. Of the");
    assertEquals(
        List.of(4L), only(text).message().processes().stream().map(each -> each.pid()).toList());
  }

  @Test
  void fencesProseAndRepeatedFieldsEndAMessage() throws IOException {
    String cut = "CUDA out of memory. Tried to allocate 2.00 GiB.";
    String rest = SIZES.formatted("24.00 GiB", "9.00 GiB", "7.00 GiB", "1.00 GiB");
    assertEquals(OomVerdict.UNKNOWN, first(cut + "\n```\n" + rest).verdict());
    assertEquals(OomVerdict.NOT_ALLOCATOR, first(cut + "\n" + rest).verdict());
    OomLog.Contents two =
        read(cut + rest + SIZES.formatted("8.00 GiB", "0 bytes", "7.00 GiB", "0 bytes"));
    assertEquals(2, two.found().size());
    assertEquals(OomVerdict.NOT_ALLOCATOR, explain(two.found().getFirst()).verdict());
    assertEquals(OomVerdict.UNKNOWN, explain(two.found().getLast()).verdict());
    String prose = "\n\nI think the card was shared by others at that time.\n";
    assertEquals(OomVerdict.UNKNOWN, first(cut + prose + "7.00 GiB allowed;").verdict());
    assertFalse(
        first(cut + prose + "7.00 GiB allowed;")
            .message()
            .amounts()
            .containsKey(OomMessage.Amount.LIMIT));
  }

  @ParameterizedTest
  @CsvSource({
    "900, 1350, float, FRAGMENTED",
    "1001, 1400, float, FULL",
    "1001, -1, float, FULL",
    "500, -1, float, FRAGMENTED",
    "900, 950, float, ELSEWHERE",
    "900, 950, double, FULL",
    "900, 1000, complex999, UNKNOWN"
  })
  void bfcStatisticsDecideWithoutChunks(long inUse, long regions, String type, OomVerdict verdict)
      throws IOException {
    // The tensor takes 400 KiB as float; the limit is 1.4 MiB. Sizes in KiB.
    String text =
        (regions < 0
                ? ""
                : "I bfc_allocator.cc:1] total_region_allocated_bytes_: " + (regions << 10) + "\n")
            + """
            I bfc_allocator.cc:2] Stats:
            Limit:   %d
            InUse:   %d
            W op_kernel.cc:3] OOM when allocating tensor with shape[400,256] and type %s on /device:GPU:0 by allocator GPU_0_bfc
            """
                .formatted(1400L << 10, inUse << 10, type);
    assertEquals(verdict, read(text).dumps().getFirst().verdict());
  }

  private static OomExplanation only(String text) throws IOException {
    assertEquals(1, read(text).found().size(), text);
    return first(text);
  }

  private static OomExplanation first(String text) throws IOException {
    return explain(read(text).found().getFirst());
  }

  private static OomExplanation explain(OomLog.Found found) {
    return OomExplainer.explain(found.message(), OomSettings.UNKNOWN, false);
  }

  private static OomLog.Contents read(String text) throws IOException {
    return OomLog.read(stream(text));
  }

  private static ByteArrayInputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
