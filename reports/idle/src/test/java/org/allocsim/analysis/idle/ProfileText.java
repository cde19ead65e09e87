package org.allocsim.analysis.idle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes profiles as PyTorch's profiler does. Times are microseconds; the host's thread is 7 of
 * process 5 unless another is asked for.
 */
public final class ProfileText {
  private static final int THREAD = 7;

  private final List<String> rows = new ArrayList<>();
  private String header = "";
  private int correlation;

  /** Adds fields before the events. */
  public ProfileText header(String json) {
    header += json + ", ";
    return this;
  }

  /** A row of a thread of the host. */
  public ProfileText host(String category, String name, double begin, double end) {
    return row(category, name, "5", THREAD, begin, end, "");
  }

  /** A row of a thread of the host. */
  public ProfileText host(String category, String name, int thread, double begin, double end) {
    return row(category, name, "5", thread, begin, end, "");
  }

  /** A step of the profiler. */
  public ProfileText step(int number, double begin, double end) {
    return host("user_annotation", "ProfilerStep#" + number, begin, end);
  }

  /** A batch of a data loader. */
  public ProfileText load(boolean isHere, double begin, double end) {
    return host(
        "user_annotation",
        "enumerate(DataLoader)#_"
            + (isHere ? "SingleProcess" : "MultiProcessing")
            + "DataLoaderIter.__next__",
        begin,
        end);
  }

  /** An operator. */
  public ProfileText operator(String name, double begin, double end) {
    return host("cpu_op", name, begin, end);
  }

  /** A call that queues nothing. */
  public ProfileText call(String name, double begin, double end) {
    correlation++;
    return row("cuda_runtime", name, "5", THREAD, begin, end, "\"correlation\": " + correlation);
  }

  /** A launch with its kernel on a stream. */
  public ProfileText kernel(
      String name, int stream, double callBegin, double callEnd, double begin, double end) {
    call("cudaLaunchKernel", callBegin, callEnd);
    return work("kernel", name, stream, begin, end, 0);
  }

  /** A copy with its call. */
  public ProfileText copy(
      String name, long bytes, double callBegin, double callEnd, double begin, double end) {
    call("cudaMemcpyAsync", callBegin, callEnd);
    return work("gpu_memcpy", name, 7, begin, end, bytes);
  }

  /** Work of the GPU that the call before it queued. */
  public ProfileText work(
      String category, String name, int stream, double begin, double end, long bytes) {
    return row(
        category,
        name,
        "0",
        stream,
        begin,
        end,
        "\"device\": 0, \"stream\": %d, \"correlation\": %d, \"bytes\": %d"
            .formatted(stream, correlation, bytes));
  }

  /** What the allocator of a GPU holds after a call. */
  public ProfileText memory(int device, double at, long allocatedBytes, long reservedBytes) {
    return memory(device, at, 512, 4096, allocatedBytes, reservedBytes);
  }

  /** An allocation, or a free of negative bytes, and what the allocator holds after it. */
  public ProfileText memory(
      int device, double at, long bytes, long address, long allocatedBytes, long reservedBytes) {
    return raw(
        String.format(
            Locale.ROOT,
            "{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\":"
                + " \"[memory]\", \"pid\": 5, \"tid\": %d, \"ts\": %.3f, \"args\": {\"Device"
                + " Type\": 1, \"Device Id\": %d, \"Addr\": %d, \"Bytes\": %d, \"Total"
                + " Allocated\": %d, \"Total Reserved\": %d}}",
            THREAD,
            at,
            device,
            address,
            bytes,
            allocatedBytes,
            reservedBytes));
  }

  private ProfileText row(
      String category,
      String name,
      String process,
      int thread,
      double begin,
      double end,
      String arguments) {
    return raw(
        String.format(
            Locale.ROOT,
            "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, \"tid\": %d,"
                + " \"ts\": %.3f, \"dur\": %.3f, \"args\": {%s}}",
            category,
            name,
            process,
            thread,
            begin,
            end - begin,
            arguments));
  }

  /** An event as it stands. */
  public ProfileText raw(String event) {
    rows.add(event);
    return this;
  }

  @Override
  public String toString() {
    return "{" + header + "\"traceEvents\": [\n" + String.join(",\n", rows) + "\n]}\n";
  }

  /** Writes the profile. */
  public Path write(Path file) throws IOException {
    return Files.writeString(file, toString(), StandardCharsets.UTF_8);
  }
}
