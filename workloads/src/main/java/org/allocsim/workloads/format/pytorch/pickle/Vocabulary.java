package org.allocsim.workloads.format.pytorch.pickle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.jspecify.annotations.Nullable;

/**
 * The words that PyTorch's snapshots use (2.0 to 2.14). A {@link TextPool} numbers them in this
 * order before it sees a file, so that the number of a known key is its field and a text is
 * recognised by comparing numbers.
 */
public final class Vocabulary {
  // Top level.
  public static final int SEGMENTS = 0;
  public static final int DEVICE_TRACES = 1;
  public static final int ALLOCATOR_SETTINGS = 2;
  public static final int EXTERNAL_ANNOTATIONS = 3;
  public static final int HOST_SEGMENTS = 4;
  public static final int HOST_TRACES = 5;
  public static final int TRACE_ALLOC_MAX_ENTRIES = 6;
  public static final int TRACE_ALLOC_OVERFLOWED = 7;
  // History entries; some also in segments, blocks and annotations.
  public static final int ACTION = 8;
  public static final int ADDR = 9;
  public static final int DEVICE_FREE = 10;
  public static final int SIZE = 11;
  public static final int STREAM = 12;
  public static final int TIME_US = 13;
  public static final int FRAMES = 14;
  public static final int POOL_ID = 15;
  public static final int COMPILE_CONTEXT = 16;
  public static final int USER_METADATA = 17;
  // Segments.
  public static final int DEVICE = 18;
  public static final int ADDRESS = 19;
  public static final int TOTAL_SIZE = 20;
  public static final int ALLOCATED_SIZE = 21;
  public static final int ACTIVE_SIZE = 22;
  public static final int REQUESTED_SIZE = 23;
  public static final int SEGMENT_TYPE = 24;
  public static final int SEGMENT_POOL_ID = 25;
  public static final int IS_EXPANDABLE = 26;
  public static final int BLOCKS = 27;
  // Blocks.
  public static final int STATE = 28;
  public static final int HISTORY = 29;
  public static final int REAL_SIZE = 30;
  // Annotations and frames.
  public static final int STAGE = 31;
  public static final int NAME = 32;
  public static final int FILENAME = 33;
  public static final int LINE = 34;
  // Allocator settings.
  public static final int CONF = 35;
  public static final int MAX_SPLIT_SIZE = 36;
  public static final int GARBAGE_COLLECTION_THRESHOLD = 37;
  public static final int EXPANDABLE_SEGMENTS = 38;
  public static final int PINNED_NUM_REGISTER_THREADS = 39;
  public static final int RELEASE_LOCK_ON_CUDAMALLOC = 40;
  public static final int PINNED_USE_CUDA_HOST_REGISTER = 41;
  public static final int GRAPH_CAPTURE_RECORD_STREAM_REUSE = 42;
  public static final int ROUNDUP_POWER2_DIVISIONS = 43;
  public static final int MAX_ROUND_THRESHOLD = 44;
  public static final int MAX_CACHED_SIZE = 45;

  /** The first of 16 fields "1", "2", "4", … "32768": lower bounds of size classes in MiB. */
  public static final int DIVISIONS_1 = 46;

  private static final int DIVISIONS = 16;

  /** At the top level: what {@code allocsim record} adds to a snapshot. */
  public static final int ALLOCSIM_RECORD = DIVISIONS_1 + DIVISIONS;

  /** Number of fields; a set of them fits one {@code long}. */
  public static final int FIELDS = ALLOCSIM_RECORD + 1;

  // Values: the actions in the order of the effects, then these.
  private static final EffectKind[] EFFECTS = EffectKind.values();
  private static final int FIRST_ACTION = FIELDS;
  private static final int FIRST_OTHER = FIRST_ACTION + EFFECTS.length;
  public static final int ANNOTATE = FIRST_OTHER;
  public static final int ACTIVE_ALLOCATED = FIRST_OTHER + 1;
  public static final int ACTIVE_PENDING_FREE = FIRST_OTHER + 2;
  public static final int ACTIVE_AWAITING_FREE = FIRST_OTHER + 3;
  public static final int INACTIVE = FIRST_OTHER + 4;
  public static final int SMALL = FIRST_OTHER + 5;
  public static final int LARGE = FIRST_OTHER + 6;
  public static final int START = FIRST_OTHER + 7;
  public static final int END = FIRST_OTHER + 8;
  public static final int NOT_AVAILABLE = FIRST_OTHER + 9;
  public static final int EMPTY = FIRST_OTHER + 10;

  /** The first of the keys that settings have where PyTorch was built for ROCm. */
  private static final int FIRST_OF_ROCM = FIRST_OTHER + 11;

  /** The fields that they stand for: building for ROCm writes hip for cuda in the sources. */
  private static final int[] OF_ROCM = {
    CONF, RELEASE_LOCK_ON_CUDAMALLOC, PINNED_USE_CUDA_HOST_REGISTER
  };

  private static final String[] FIELD_NAMES = {
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "host_segments",
    "host_traces",
    "trace_alloc_max_entries",
    "trace_alloc_overflowed",
    "action",
    "addr",
    "device_free",
    "size",
    "stream",
    "time_us",
    "frames",
    "pool_id",
    "compile_context",
    "user_metadata",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "name",
    "filename",
    "line",
    "PYTORCH_CUDA_ALLOC_CONF",
    "max_split_size",
    "garbage_collection_threshold",
    "expandable_segments",
    "pinned_num_register_threads",
    "release_lock_on_cudamalloc",
    "pinned_use_cuda_host_register",
    "graph_capture_record_stream_reuse",
    "roundup_power2_divisions",
    "max_round_threshold",
    "max_cached_size",
  };

  private static final String[] OTHER_WORDS = {
    "annotate",
    "active_allocated",
    "active_pending_free",
    "active_awaiting_free",
    "inactive",
    "small",
    "large",
    "START",
    "END",
    "N/A",
    "",
    "PYTORCH_HIP_ALLOC_CONF",
    "release_lock_on_hipmalloc",
    "pinned_use_hip_host_register",
  };

  private static final String[] WORDS = words();

  private static String[] words() {
    String[] words = Arrays.copyOf(FIELD_NAMES, FIRST_OTHER + OTHER_WORDS.length);
    for (int slot = 0; slot < DIVISIONS; slot++) {
      words[DIVISIONS_1 + slot] = Integer.toString(1 << slot);
    }
    words[ALLOCSIM_RECORD] = "allocsim_record";
    for (EffectKind kind : EFFECTS) {
      words[FIRST_ACTION + kind.ordinal()] = kind.action();
    }
    System.arraycopy(OTHER_WORDS, 0, words, FIRST_OTHER, OTHER_WORDS.length);
    return words;
  }

  private Vocabulary() {}

  /** Numbers the words in an empty pool. */
  public static void teach(TextPool pool) {
    for (int i = 0; i < WORDS.length; i++) {
      byte[] text = WORDS[i].getBytes(StandardCharsets.UTF_8);
      if (pool.number(text, 0, text.length) != i) {
        throw new IllegalStateException("the pool was not empty, or a word occurs twice");
      }
    }
  }

  /** The key of a field. */
  public static String key(int field) {
    return WORDS[field];
  }

  /** The field whose key a text is, in the spelling of CUDA or of ROCm, or −1. */
  public static int field(int text) {
    if (text < FIELDS) {
      return text;
    }
    int ofRocm = text - FIRST_OF_ROCM;
    return ofRocm >= 0 && ofRocm < OF_ROCM.length ? OF_ROCM[ofRocm] : -1;
  }

  /** The effect that an action names, or null. */
  public static @Nullable EffectKind effect(int text) {
    int ordinal = text - FIRST_ACTION;
    return ordinal >= 0 && ordinal < EFFECTS.length ? EFFECTS[ordinal] : null;
  }

  /** The state that a text names, or null. */
  public static @Nullable BlockState state(int text) {
    if (text == ACTIVE_ALLOCATED) {
      return BlockState.ACTIVE_ALLOCATED;
    }
    if (text == ACTIVE_PENDING_FREE || text == ACTIVE_AWAITING_FREE) {
      return BlockState.ACTIVE_PENDING_FREE;
    }
    return text == INACTIVE ? BlockState.INACTIVE : null;
  }
}
