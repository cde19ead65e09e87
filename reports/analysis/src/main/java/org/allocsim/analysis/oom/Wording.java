package org.allocsim.analysis.oom;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The texts of out-of-memory messages, distinguished by their words. The first whose words occur is
 * the one; words are written without blanks, as {@link CompactText} leaves them.
 */
public enum Wording {
  /** The status of the device and of the pool follows the request. */
  CUDA_JL(
      "CUDA.jl or AMDGPU.jl",
      "OutofGPUmemory",
      null,
      "",
      "Use less memory; CUDA.unsafe_free! on arrays no longer needed; GC.gc(true) and"
          + " CUDA.reclaim() between phases; end other processes on the GPU."),
  /** The six lines of {@code backend:cudaMallocAsync}. */
  ASYNC("PyTorch with backend:cudaMallocAsync", "wouldexceedallowedmemory"),
  /**
   * The driver refused memory, and NVML, which PyTorch asks for the figures of its message, failed:
   * on a slice of a GPU (MIG) it does so by default.
   */
  NVML_ASSERT(
      "PyTorch 2.1 or later",
      "NVML_SUCCESS==rINTERNALASSERTFAILED.{1,400}CUDACachingAllocator",
      OomVerdict.UNKNOWN,
      "the GPU ran out of memory, and NVML failed when PyTorch queried it, as happens on a slice"
          + " of a GPU (MIG)",
      "On a MIG slice, check its size (nvidia-smi -L, torch.cuda.mem_get_info()); use less"
          + " memory, or a larger slice. torch.cuda.memory_summary() shows what PyTorch held."),
  /** A request of 2^60 bytes or more. */
  EXABYTE(
      "PyTorch, any version",
      "Triedtoallocatemorethan1EB",
      OomVerdict.IMPOSSIBLE,
      "the request is larger than 2^60 bytes: a size in the program is wrong",
      ""),
  /** Refused before any driver call, because of the memory fraction. */
  PREEMPTIVE(
      "PyTorch 2.12 or later",
      "preemptivelyrejected",
      OomVerdict.CAPPED,
      "the request would exceed the memory fraction of the process, not the GPU's memory",
      ""),
  /** In the words of CUDA, mostly without what is free. */
  XPU(
      "PyTorch on XPU",
      "XPUoutofmemory",
      null,
      "",
      "Use less memory; torch.xpu.empty_cache() between phases; end other processes on the GPU."),
  /** Sentences with the misspelt "capacty". */
  V2_1("PyTorch 2.1", "totalcapactyof"),
  /** The hint links to docs.pytorch.org. */
  V2_11("PyTorch 2.11 or later", "^(?>.*?totalcapacityof).*docs\\.pytorch\\.org"),
  /** The hint names PYTORCH_ALLOC_CONF. */
  V2_9("PyTorch 2.10", "^(?>.*?totalcapacityof).*trysettingPYTORCH_ALLOC_CONF"),
  /** Sentences whose hint names expandable_segments, or whose end is missing. */
  V2_2("PyTorch 2.2 to 2.9", "totalcapacityof"),
  /** "cached" is what is reserved and not allocated. */
  CACHED("PyTorch 1.0 to 1.4", "\\d[a-zA-Z]{2,5}cached\\)"),
  /** "reserved in total" with the hint at max_split_size_mb. */
  RESERVED_HINT("PyTorch 1.11 to 2.0", "^(?>.*?reservedintotal).*trysettingmax_split_size_mb"),
  /** "reserved in total" without a hint. */
  RESERVED("PyTorch 1.5 to 1.11", "reservedintotal"),
  /** The limit is the high watermark of the Metal allocator. */
  MPS(
      "PyTorch on MPS",
      "MPSbackendoutofmemory",
      null,
      "",
      "Use less memory, or raise PYTORCH_MPS_HIGH_WATERMARK_RATIO, beyond which macOS swaps."),
  /** The driver's pool, as TensorFlow and JAX use it. */
  CU_ASYNC("TensorFlow or JAX with cudaMallocAsync", "cuMemAllocAsyncfailedtoallocate"),
  /** Found when the program is compiled. */
  TPU(
      "XLA on a TPU",
      "outofmemoryinmemoryspace\\w{1,20}\\.Used",
      OomVerdict.FULL,
      "the compiled program needs more memory than the TPU has",
      "A smaller batch, rematerialisation (jax.checkpoint), or sharding over more devices."),
  /** The TPU's own heap, when a program is loaded or run; what is free is that of the heap. */
  TPU_HEAP(
      "XLA on a TPU",
      "Attemptingto(?:reserve|allocate).{1,60}Thatwasnotpossible\\.",
      null,
      "",
      "A smaller batch, rematerialisation (jax.checkpoint), or sharding over more devices; free"
          + " arrays before the program is loaded."),
  /** The check at the start of vLLM, which holds nothing yet. */
  VLLM_START(
      "vLLM",
      "[Ff]reememoryondevice.{0,60}onstartupislessthandesired",
      OomVerdict.ELSEWHERE,
      "when vLLM started, less GPU memory was free than its share",
      "End other processes that use the GPU (an earlier vLLM, a desktop), or lower"
          + " gpu_memory_utilization."),
  /** The cache has no room within the share. */
  VLLM_SHARE(
      "vLLM",
      "Noavailablememoryforthecacheblocks|Cannotauto-fitmax_model_len",
      OomVerdict.CAPPED,
      "vLLM's share of the GPU leaves nothing for the KV cache",
      "Raise gpu_memory_utilization, or use a smaller or quantised model."),
  /** One sequence does not fit into the cache. */
  VLLM_LENGTH(
      "vLLM",
      "KVcacheisneeded,whichislargerthan|maximumnumberoftokensthatcanbestoredinKVcache",
      OomVerdict.FULL,
      "one sequence of maximum length needs more KV cache than is available",
      "Lower max_model_len, raise gpu_memory_utilization, or store the cache in fewer bits."),
  /** The static share does not hold the weights and a cache. */
  SGLANG_SHARE(
      "SGLang",
      "[Nn]otenoughmemory.{0,40}--mem-fraction-static|leavenoGPUmemoryfortheKVcache",
      OomVerdict.CAPPED,
      "SGLang's share of the GPU leaves nothing for the KV cache",
      "Raise --mem-fraction-static, or use a smaller or quantised model."),
  /** No block of the cache fits into what the model leaves free. */
  TENSORRT_LLM_SHARE(
      "TensorRT-LLM",
      "tofitinanysequenceinkvCache",
      OomVerdict.FULL,
      "the memory left by the model does not fit a single sequence",
      "A smaller or quantised model, a smaller max_batch_size or max_num_tokens, or a larger"
          + " kv_cache_free_gpu_memory_fraction."),
  /** One GPU has less free than another before the model is loaded. */
  SGLANG_UNBALANCED(
      "SGLang",
      "Thememorycapacityisunbalanced",
      OomVerdict.ELSEWHERE,
      "other processes hold memory of some of the GPUs",
      "End the other processes on these GPUs."),
  /** RMM's own limits: a pool that may not grow, or a resource with a bound. */
  RMM_LIMIT(
      "RMM",
      "[Mm]aximumpoolsizeexceeded|RMMfailureat.{0,400}Exceededmemorylimit",
      OomVerdict.CAPPED,
      "the request would exceed the maximum size of RMM's pool, not the GPU's memory",
      "Raise the pool's maximum size (maximum_pool_size, rmm_maximum_pool_size), or request"
          + " less."),
  /** The arena's limit is checked before the device is asked. */
  ONNX_LIMIT(
      "ONNX Runtime",
      "Availablememoryof\\d+issmallerthanrequestedbytesof\\d+",
      OomVerdict.CAPPED,
      "the request would exceed the arena's limit (gpu_mem_limit), not the GPU's memory",
      "Raise gpu_mem_limit of the execution provider."),
  /** A limit may be printed. */
  CUPY(
      "CuPy",
      "[Oo]utofmemory(?:to)?allocat(?:e|ing)[\\d,]+bytes\\((?:total|allocatedsofar)",
      null,
      "",
      "Use less memory, raise the pool's limit (MemoryPool.set_limit, CUPY_GPU_MEMORY_LIMIT) if one"
          + " is set, and end other processes on the GPU."),
  /** "Allocated" is the device's total without what is free, whoever holds it. */
  PADDLE(
      "PaddlePaddle",
      "OutofmemoryerroronGPU\\d",
      null,
      "",
      "A smaller batch; end other processes on the GPU; FLAGS_allocator_strategy=auto_growth, so"
          + " that unused memory is not reserved."),
  /** The limit that is checked before the device is asked. */
  MINDSPORE_POOL(
      "MindSpore",
      "TotalUsedMemStatistics:\\d.{0,160}ismorethantotalmemsize",
      OomVerdict.FULL,
      "the request plus the memory in use exceed what MindSpore may use",
      "A smaller batch, recomputation or parallelism; or raise max_device_memory if it is below"
          + " the device's memory."),
  /** The pool has the size it was given at the start; the server goes on with host memory. */
  TRITON_POOL(
      "Triton Inference Server",
      "CNMEM_STATUS_OUT_OF_MEMORY",
      OomVerdict.CAPPED,
      "the server's CUDA memory pool is full, not the GPU; it uses host memory instead",
      "A larger pool (--cuda-memory-pool-byte-size GPU:BYTES), or fewer requests at once."),
  /** The driver's limit on one buffer, which has nothing to do with what is free. */
  VULKAN_BUFFER(
      "ggml (llama.cpp and programs with it)",
      "Requestedbuffersizeexceedsdevice(?:buffersize|memoryallocation)limit",
      OomVerdict.CAPPED,
      "the buffer is larger than the Vulkan driver allows for a single buffer, no matter how"
          + " much memory is free",
      "A smaller micro-batch (-ub) or context (-c), which makes the largest buffer smaller; or a"
          + " backend other than Vulkan."),
  /** The kernel, a container or a cluster's scheduler ended the process. */
  HOST_KILLED(
      "the operating system",
      "[Oo]utofmemory:Kill|oom-kill|OOMKilled(?!:false)|oom_kill|cgroupout-of-memory"
          + "|killedduetothenoderunninglowonmemory|killedduetomemorypressure|exceededmemorylimit\\(|exceedingmemorylimits"
          + "|Exceeded(?:step|job)memorylimit|task[\\ds,-]{1,40}:OutOfMemory"
          + "|TERM_MEMLIMIT|memorybudget\\.Restarting",
      OomVerdict.HOST,
      "the host ran out of memory and killed a process; the GPU is not the cause",
      "Fewer data loader workers, smaller buffers, a higher memory limit for the job."),
  /** {@code /dev/shm}. */
  HOST_SHARED(
      "the operating system",
      "outofsharedmemory|insufficientsharedmemory|unabletoallocatesharedmemory\\(shm\\)"
          + "|Errorwhilecreatingsharedmemorysegment|Nospaceleftondevice:/dev/shm"
          + "|/dev/shmor/tmpmountlikelyjustranoutofspace",
      OomVerdict.HOST,
      "the shared memory of the host (/dev/shm) ran out; the GPU is not the cause",
      "A larger /dev/shm (docker run --shm-size), or fewer data loader workers."),
  /** A worker of the data loader that got SIGKILL; the text does not say from whom. */
  HOST_WORKER(
      "PyTorch's DataLoader",
      "DataLoaderworker\\(pid\\d+\\)iskilledbysignal:Killed",
      OomVerdict.HOST,
      "a worker of the data loader was killed, as the kernel does when the host's memory runs out;"
          + " the GPU is not the cause",
      "Look for \"Out of memory: Killed process\" in the kernel's log (dmesg); fewer data loader"
          + " workers, fewer prefetched batches, a higher memory limit for the job."),
  /** Host memory that is locked for transfers. */
  HOST_PINNED(
      "CUDA",
      "(?i:pinnedhostmemory|(?:allocate|of)[\\d.]*(?:[KMG]i?B)?(?:of)?pinnedmemory"
          + "|bytesonhost:CUDA_ERROR|cudaHostAlloc|cudaMallocHost|allocateCUDA_Hostbuffer)"
          + "|byallocator[\\w-]*host_bfc",
      OomVerdict.HOST,
      "the host ran out of pinned memory; the GPU is not the cause",
      "Pin less (pin_memory=False, fewer prefetched batches), or raise the limit of locked"
          + " memory."),
  /** An allocator of the host's memory. */
  HOST(
      "an allocator of host memory",
      "DefaultCPUAllocator|runtime:outofmemory"
          + "|java\\.lang\\.OutOfMemoryError(?!:Couldnotallocatenativememory)|JavaScriptheapoutof"
          + "|memoryallocationof\\d+bytesfailed|ggml_backend_cpu_buffer_type_alloc_buffer"
          + "|instanceofstd::bad_alloc|Cannotallocatememory"
          + "|Unabletoallocate(?:[\\d.]+[KMGTP]iBforan)?array|OOMwhenallocating.*byallocator(?:mkl)?cpu"
          + "|ggml_aligned_malloc:insufficientmemory|allocateCPUbuffer|requiresmoresystemmemory"
          + "|bytesfromHOSTmemory|allocate\\[HOST\\]memory|ArrayMemoryError|numpy\\._?core\\._exceptions\\.MemoryError"
          + "|pagingfileistoosmall|(?:WinE|ose)rror1455|\\(-4:Insufficientmemory\\)",
      OomVerdict.HOST,
      "the host ran out of memory; the GPU is not the cause",
      "Load less into the host's memory at once: map files, stream data, fewer workers."),
  /** Only the size asked for. */
  GGML(
      "ggml (llama.cpp and programs with it)",
      "MiBondevice\\d{1,4}:cudaMallocfailed|ErrorOutOfDeviceMemory|Bytesofmemoryondevice"
          + "|failedtoallocate\\w+bufferofsize",
      null,
      "",
      "Fewer layers on the GPU (-ngl), a shorter context (-c), a smaller micro-batch (-ub), a"
          + " quantised KV cache (-ctk, -ctv); end other processes on the GPU."),
  /** Only the size asked for. */
  ONNX(
      "ONNX Runtime",
      "requestedbufferofsize",
      null,
      "",
      "A smaller batch or input; arena_extend_strategy kSameAsRequested and"
          + " cudnn_conv_use_max_workspace 0 for the CUDA provider; end other processes on the"
          + " GPU."),
  /** Only the size asked for; a warning while the builder tries tactics. */
  TENSORRT(
      "TensorRT",
      "Requestedamountof(?:GPU)?memory|OutOfMemory\\((?:Requestedsize|nofurther)",
      null,
      "",
      "A smaller workspace (setMemoryPoolLimit), batch or profile; end other processes on the"
          + " GPU. While an engine is being built, the warning only means that this tactic is"
          + " skipped."),
  /** Only the size asked for. */
  ASCEND(
      "Ascend CANN",
      "rtMallocfail",
      null,
      "",
      "Use less memory, or end other processes on the NPU; npu-smi info shows them."),
  /** Only the size asked for; by default the program takes nearly the whole GPU at its start. */
  XLA(
      "TensorFlow or JAX",
      "[Oo]utofmemory(?:whiletryingtoallocate|allocating)\\d|Failedtoallocaterequestfor"
          + "|bytes\\)fromdevice|OOMwhenallocatingtensor",
      null,
      "",
      "A smaller batch; end other processes on the GPU. The lines of the BFC allocator, if the"
          + " log has them, show more."),
  /** No numbers, or too few to decide. */
  BARE("no known wording", "");

  private final String versions;
  private final Pattern words;
  private final @Nullable OomVerdict verdict;
  private final String cause;
  private final String help;

  Wording(String versions, String words) {
    this(versions, words, null, "", "");
  }

  Wording(String versions, String words, @Nullable OomVerdict verdict, String cause, String help) {
    this.versions = versions;
    this.words = Pattern.compile(words);
    this.verdict = verdict;
    this.cause = cause;
    this.help = help;
  }

  /** Whether PyTorch wrote it, so that its settings can help. */
  public boolean isPyTorch() {
    return versions.startsWith("PyTorch") || this == BARE;
  }

  /**
   * Whether PyTorch wrote it and records such memory in snapshots of CUDA: not that of MPS and XPU.
   */
  public boolean hasSnapshots() {
    return isPyTorch() && this != MPS && this != XPU;
  }

  /** Whose allocator it is, for sentences. */
  String owner() {
    return isPyTorch() ? "PyTorch" : "the program";
  }

  /** The wording of a text without white space. */
  static Wording of(CharSequence text) {
    for (Wording each : values()) {
      if (each.words.matcher(text).find()) {
        return each;
      }
    }
    return BARE;
  }

  /** Who prints it, for people; boundaries of versions are those of the hint texts seen. */
  public String versions() {
    return versions;
  }

  /** The verdict that the words alone decide, null where the numbers do. */
  @Nullable OomVerdict verdict() {
    return verdict;
  }

  /** What {@link #verdict()} means here, in a clause. */
  String cause() {
    return cause;
  }

  /** What helps, "" where that depends on the numbers. */
  String help() {
    return help;
  }
}
