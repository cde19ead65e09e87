package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.dict;
import static org.allocsim.workloads.format.pytorch.SnapshotData.dictAt;
import static org.allocsim.workloads.format.pytorch.SnapshotData.list;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;
import org.junit.jupiter.api.Test;

/** The fields of a snapshot show which release wrote it. */
class SnapshotReleaseTest {
  private final List<Object> history = SnapshotData.history();
  private final Map<String, Object> snapshot = SnapshotData.snapshot(history);

  private void assertRelease(PyTorchVersion expected) throws TraceFormatException {
    assertEquals(expected, SnapshotData.readValue(snapshot).settings().release());
  }

  private void withoutField(String name) {
    for (int row = 0; row < history.size(); row++) {
      dictAt(history, row).remove(name);
    }
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> settings() {
    return (Map<String, Object>) snapshot.get("allocator_settings");
  }

  @Test
  void eachReleaseAddsAFieldThatShowsIt() throws TraceFormatException {
    assertRelease(PyTorchVersion.V2_11);
    for (int row = 0; row < history.size(); row++) {
      dictAt(history, row).put("pool_id", new Tuple(0, 0));
    }
    assertRelease(PyTorchVersion.V2_12);
    settings().put("max_round_threshold", 0);
    assertRelease(PyTorchVersion.V2_13);
    snapshot.put("host_segments", list());
    snapshot.put("host_traces", list());
    assertRelease(PyTorchVersion.V2_14);
  }

  @Test
  void eachReleaseLacksAFieldOfTheNext() throws TraceFormatException {
    withoutField("user_metadata");
    settings().put("graph_capture_record_stream_reuse", false);
    assertRelease(PyTorchVersion.V2_9);
    settings().remove("graph_capture_record_stream_reuse");
    assertRelease(PyTorchVersion.V2_8);
    withoutField("compile_context");
    assertRelease(PyTorchVersion.V2_5);
    snapshot.remove("external_annotations");
    assertRelease(PyTorchVersion.V2_3);
    snapshot.remove("allocator_settings");
    assertRelease(PyTorchVersion.V2_2);
    withoutField("time_us");
    assertRelease(PyTorchVersion.V2_1);
    dictAt(dictAt(snapshot.get("segments"), 0).get("blocks"), 0)
        .put("history", list(dict("addr", 1L << 40, "real_size", 1000, "frames", list())));
    assertRelease(PyTorchVersion.V2_0);
  }
}
