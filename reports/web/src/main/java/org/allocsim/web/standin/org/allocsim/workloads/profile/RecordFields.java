package org.allocsim.web.standin.org.allocsim.workloads.profile;

import java.util.Locale;
import java.util.Map;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.cost.AsyncCosts;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.cost.HandleCosts;

/**
 * Shipped profiles from the maps of their files. To make records from the names of their components
 * would need reflection, which adds a method to every class of the engine.
 */
final class RecordFields {
  private final Map<?, ?> map;

  private RecordFields(Object map) {
    this.map = (Map<?, ?>) map;
  }

  static <T extends Record> T to(Class<T> type, Map<String, Object> map, String path) {
    return type.cast(new RecordFields(map).profile());
  }

  /** Shipped files hold no control characters. */
  static String printable(String text) {
    return text;
  }

  private DeviceProfile profile() {
    return new DeviceProfile(
        text("name"),
        DeviceProfile.Origin.valueOf(text("origin").toUpperCase(Locale.ROOT)),
        text("source"),
        number("total_bytes"),
        number("context_bytes"),
        number("unusable_bytes"),
        number("page_bytes"),
        number("reservation_bytes"),
        number("arena_address"),
        number("top_address"),
        number("range_address"),
        inner("costs").costs(),
        inner("compute").compute(),
        AddressHistory.UNKNOWN);
  }

  private DriverCosts costs() {
    return new DriverCosts(
        number("allocate_shared_nanos"),
        number("allocate_nanos"),
        number("allocate_page_nanos"),
        number("allocate_reserving_nanos"),
        number("allocate_reserving_page_nanos"),
        number("free_shared_nanos"),
        number("free_nanos"),
        number("free_page_nanos"),
        number("free_reservation_nanos"),
        number("free_reservation_page_nanos"),
        number("synchronize_nanos"),
        inner("handles").handles(),
        inner("async").async());
  }

  private HandleCosts handles() {
    return new HandleCosts(
        number("create_nanos"),
        number("create_page_nanos"),
        number("map_nanos"),
        number("map_page_nanos"),
        number("set_access_nanos"),
        number("set_access_large_nanos"),
        number("set_access_handle_nanos"),
        number("set_access_page_nanos"),
        number("unmap_nanos"),
        number("unmap_page_nanos"),
        number("release_nanos"),
        number("release_page_nanos"),
        number("reserve_nanos"),
        number("unreserve_nanos"));
  }

  private AsyncCosts async() {
    return new AsyncCosts(
        number("create_pool_nanos"),
        number("allocate_own_nanos"),
        number("allocate_shared_nanos"),
        number("allocate_other_nanos"),
        number("allocate_merged_nanos"),
        number("allocate_merged_page_nanos"),
        number("map_nanos"),
        number("new_chunk_nanos"),
        number("moved_chunk_nanos"),
        number("spare_chunk_nanos"),
        number("refuse_nanos"),
        number("refuse_new_chunk_nanos"),
        number("refuse_moved_chunk_nanos"),
        number("refuse_release_nanos"),
        number("refuse_release_new_chunk_nanos"),
        number("refuse_release_moved_chunk_nanos"),
        number("free_nanos"),
        number("trim_nanos"),
        number("trim_chunk_nanos"));
  }

  private ComputeProfile compute() {
    return new ComputeProfile(
        text("source"),
        number("fp32_flops_per_second"),
        number("tf32_flops_per_second"),
        number("fp16_flops_per_second"),
        number("bf16_flops_per_second"),
        number("memory_bytes_per_second"),
        number("launch_nanos"),
        number("kernel_nanos"),
        number("pinned_copy_bytes_per_second"),
        number("pageable_copy_bytes_per_second"),
        number("copy_nanos"),
        number("pin_nanos"),
        number("pin_mebibyte_nanos"),
        number("link_bytes_per_second"),
        number("network_bytes_per_second"));
  }

  private RecordFields inner(String name) {
    return new RecordFields(map.get(name));
  }

  private String text(String name) {
    return (String) map.get(name);
  }

  private long number(String name) {
    return (Long) map.get(name);
  }
}
