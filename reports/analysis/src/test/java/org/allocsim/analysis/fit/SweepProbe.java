package org.allocsim.analysis.fit;

import java.nio.file.*;
import java.util.*;
import org.allocsim.simulator.device.*;
import org.allocsim.simulator.policy.*;
import org.allocsim.simulator.policy.pytorch.*;
import org.allocsim.simulator.run.*;
import org.allocsim.simulator.trace.*;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.source.*;
import org.allocsim.workloads.transform.SizeFit;
import org.junit.jupiter.api.Test;

class SweepProbe {
  static RunResult run(AllocationTrace t, int device) {
    return Run.of(
        new RunSetup(
                t,
                device,
                new PolicyChoice(
                    Policies.named("pytorch").orElseThrow(), Map.of("torch-version", "2.13")),
                -1,
                DeviceProfiles.ofCapacity(1L << 42))
            .with(AfterOom.STOP));
  }

  @Test
  void probe() throws Exception {
    for (Path model :
        Files.list(Path.of("/work/standin-recordings/sweep"))
            .filter(Files::isDirectory)
            .sorted()
            .toList()) {
      TreeMap<Double, SizeFit.Run> runs = new TreeMap<>();
      TreeMap<Double, RunResult> actual = new TreeMap<>();
      for (Path f : Files.list(model).filter(x -> x.toString().endsWith(".pickle")).toList()) {
        double v = Double.parseDouble(f.getFileName().toString().replaceAll("[^0-9]", ""));
        TraceSource s = TraceSource.open(f.toString(), null, Progress.NONE);
        OpenedTrace o = s.read(ReadingOptions.of(PyTorchVersion.of("2.13")));
        DeviceTrace d = new DeviceTrace(o, o.device(null));
        runs.put(v, new SizeFit.Run(d.trace(), d.device(), v));
        actual.put(v, run(d.trace(), d.device()));
        String json = Files.readString(Path.of(f.toString().replace(".pickle", ".json")));
        System.out.println(
            model.getFileName()
                + " "
                + v
                + " "
                + json.strip()
                + " sim "
                + actual.get(v).peakReservedBytes());
      }
      List<Double> values = new ArrayList<>(runs.keySet());
      for (int used = 2; used <= 3; used++) {
        ProgramFit fit = new ProgramFit(SizeFit.of(values.subList(0, used).stream().map(runs::get).toList()));
        for (int k = used; k < values.size(); k++) {
          RunResult real = actual.get(values.get(k));
          org.allocsim.analysis.tuning.Scenario sc = org.allocsim.analysis.tuning.Scenario.of("", PyTorchVersion.of("2.13"), -1, DeviceProfiles.ofCapacity(1L << 42));
          ProgramFit.Prediction p = fit.predict(values.get(k), sc);
          double t = real.peakReservedBytes();
          System.out.println(String.format("RES %s from %d at %.0f err %+.2f%% low %+.2f%% high %+.2f%% %s", model.getFileName(), used, values.get(k), 100 * p.result().peakReservedBytes() / t - 100, 100 * p.lowReservedBytes() / t - 100, 100 * p.highReservedBytes() / t - 100, p.lowReservedBytes() <= t && t <= p.highReservedBytes() ? "in" : "OUT"));
        }
      }
    }
  }
}
