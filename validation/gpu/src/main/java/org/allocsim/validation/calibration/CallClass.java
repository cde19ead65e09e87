package org.allocsim.validation.calibration;

import java.util.List;

/**
 * Calls that follow one line of the cost model: the first parameter is their fixed time, each
 * further one the time of a term. Parameters have the names of the profile's file.
 */
public enum CallClass {
  /** {@code cuMemAlloc} that takes no page. */
  ALLOCATE_SHARED("allocate_shared_nanos"),
  /** {@code cuMemAlloc} that takes pages of a reservation. */
  ALLOCATE("allocate_nanos", "allocate_page_nanos"),
  /** {@code cuMemAlloc} that makes a reservation. */
  ALLOCATE_RESERVING("allocate_reserving_nanos", "allocate_reserving_page_nanos"),
  /** {@code cuMemFree} that returns no page. */
  FREE_SHARED("free_shared_nanos"),
  /** {@code cuMemFree} that returns pages. */
  FREE("free_nanos", "free_page_nanos"),
  /** {@code cuMemFree} that gives back a reservation. */
  FREE_RESERVATION("free_reservation_nanos", "free_reservation_page_nanos"),
  /** A wait for an idle device. */
  SYNCHRONIZE("synchronize_nanos"),
  /** {@code cuMemCreate}. */
  CREATE("handles.create_nanos", "handles.create_page_nanos"),
  /** {@code cuMemMap}. */
  MAP("handles.map_nanos", "handles.map_page_nanos"),
  /** {@code cuMemSetAccess}. */
  SET_ACCESS(
      "handles.set_access_nanos",
      "handles.set_access_large_nanos",
      "handles.set_access_handle_nanos",
      "handles.set_access_page_nanos"),
  /** {@code cuMemUnmap}. */
  UNMAP("handles.unmap_nanos", "handles.unmap_page_nanos"),
  /** {@code cuMemRelease}. */
  RELEASE("handles.release_nanos", "handles.release_page_nanos"),
  /** {@code cuMemAddressReserve}. */
  RESERVE("handles.reserve_nanos"),
  /** {@code cuMemAddressFree}. */
  UNRESERVE("handles.unreserve_nanos"),
  /** The first {@code cuMemAllocAsync}. */
  CREATE_POOL("async.create_pool_nanos"),
  /** {@code cuMemAllocAsync} from the stream's own list. */
  ASYNC_OWN("async.allocate_own_nanos"),
  /** {@code cuMemAllocAsync} from the shared list. */
  ASYNC_SHARED("async.allocate_shared_nanos"),
  /** {@code cuMemAllocAsync} from another stream's list. */
  ASYNC_OTHER("async.allocate_other_nanos"),
  /** {@code cuMemAllocAsync} for which lists were put together. */
  ASYNC_MERGED("async.allocate_merged_nanos", "async.allocate_merged_page_nanos"),
  /** {@code cuMemAllocAsync} that maps chunks. */
  ASYNC_MAPPING(
      "async.map_nanos",
      "async.new_chunk_nanos",
      "async.moved_chunk_nanos",
      "async.spare_chunk_nanos"),
  /** {@code cuMemAllocAsync} that is refused. */
  ASYNC_REFUSED(
      "async.refuse_nanos", "async.refuse_new_chunk_nanos", "async.refuse_moved_chunk_nanos"),
  /** {@code cuMemAllocAsync} that is refused and makes the pool give back chunks. */
  ASYNC_REFUSED_RELEASING(
      "async.refuse_release_nanos",
      "async.refuse_release_new_chunk_nanos",
      "async.refuse_release_moved_chunk_nanos"),
  /** {@code cuMemFreeAsync}. */
  ASYNC_FREE("async.free_nanos"),
  /** {@code cuMemPoolTrimTo}. */
  TRIM("async.trim_nanos", "async.trim_chunk_nanos");

  private final List<String> parameters;

  CallClass(String... parameters) {
    this.parameters = List.of(parameters);
  }

  /** Names of its parameters in the profile's {@code costs}. */
  public List<String> parameters() {
    return parameters;
  }
}
