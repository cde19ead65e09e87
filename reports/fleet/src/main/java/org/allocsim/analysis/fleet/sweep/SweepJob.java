package org.allocsim.analysis.fleet.sweep;

import java.io.Serializable;

/**
 * A sweep that any process can take part in.
 *
 * @param request what is to be replayed
 * @param storage where traces lie and results go
 * @param out folder of the results
 */
public record SweepJob(SweepRequest request, FleetStorage storage, String out)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Digest of everything that was asked for. */
  String requestDigest() {
    return Sha256.of(request.toString());
  }

  /** What results depend on beside trace and grid. */
  String context() {
    return String.join(
        " ",
        SweepColumn.SCHEMA,
        request.programVersion(),
        request.stopsAtOom() ? "stop" : "continue",
        "device=" + request.deviceIndex(),
        "format=" + request.format(),
        "profiles=" + Sha256.of(request.ownDevices().stream().sorted().toList().toString()));
  }
}
