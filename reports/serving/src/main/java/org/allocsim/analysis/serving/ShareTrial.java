package org.allocsim.analysis.serving;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.model.ServedModel;

/**
 * What an engine makes of one share of the GPU.
 *
 * @param budget its budget
 * @param result what came of serving the requests
 */
public record ShareTrial(ServingBudget budget, ServingResult result) {
  /**
   * Serves the same requests at several shares.
   *
   * @param shares each leaves something for the cache
   * @throws IllegalArgumentException where the cache cannot be made of what a share leaves
   */
  public static List<ShareTrial> run(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      CacheChoice cache,
      ServingBudget budget,
      List<Double> shares) {
    List<ShareTrial> trials = new ArrayList<>();
    for (double share : shares) {
      ServingBudget each = budget.at(share);
      ParallelTasks.Progress silent = (_, _) -> {};
      trials.add(
          new ShareTrial(
              each,
              ServingComparison.run(
                      traffic,
                      model,
                      device,
                      settings,
                      List.of(cache),
                      _ -> each.cacheBytes(),
                      silent)
                  .getFirst()));
    }
    return trials;
  }
}
