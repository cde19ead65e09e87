package org.allocsim.reports.wing;

import java.nio.file.Path;
import java.util.List;
import java.util.function.ToIntFunction;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.format.TraceFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Serves recorded requests with KV caches and keeps the calls that they make of the driver. It is a
 * service, because one wing has the caches and another makes their calls on a real GPU.
 */
public interface CacheRecorder {
  /**
   * Requests, and what serves them.
   *
   * @param traffic file of requests
   * @param first how many of them are served; null for all
   * @param model name of the model
   * @param caches names of the caches
   * @return one for each cache, in their order
   * @throws TraceFormatException where the file cannot be read
   * @throws IllegalArgumentException where there is no such model or cache
   */
  List<Cache> of(Path traffic, @Nullable Integer first, String model, List<String> caches)
      throws TraceFormatException;

  /** A cache that is to serve requests. */
  @FunctionalInterface
  interface Cache {
    /**
     * Serves them.
     *
     * @param gpu the simulated GPU
     * @param capacityBytes memory for keys and values
     * @throws IllegalArgumentException where the cache cannot have so few bytes or so many
     */
    Recording record(DeviceProfile gpu, long capacityBytes);
  }

  /**
   * What a cache did.
   *
   * @param cache its name
   * @param model name of the model
   * @param served requests that were served
   * @param preemptions sequences preempted for lack of memory
   * @param calls how many calls of the driver it made after its start
   * @param replay makes these calls on a device, and says how many were made: all, or those before
   *     the device lacked memory
   */
  record Recording(
      String cache,
      String model,
      long served,
      long preemptions,
      int calls,
      ToIntFunction<DeviceMemory> replay) {}
}
