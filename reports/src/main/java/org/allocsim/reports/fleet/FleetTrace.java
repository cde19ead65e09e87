package org.allocsim.reports.fleet;

import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * A trace of a fleet in memory.
 *
 * @param sha256 digest of the file as stored
 * @param format id of its format
 * @param trace the requests
 * @param device index of the device that is replayed
 * @param conf settings that it was recorded with; empty, PyTorch's default, for formats that keep
 *     none
 * @param addresses what the recording tells of other users of the address space
 * @param recordedOoms requests that failed in the recording; −1 where the format has none
 * @param recordedLimitBytes limit that the recording shows; −1 where it shows none
 */
public record FleetTrace(
    String sha256,
    String format,
    AllocationTrace trace,
    int device,
    String conf,
    AddressHistory addresses,
    long recordedOoms,
    long recordedLimitBytes) {}
