package org.allocsim.reports.advice;

import java.util.*;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.*;
import org.junit.jupiter.api.Test;

class WhatIfPredictionTest {
  @Test
  void explore() throws Exception {
    String[][] families = {
      {"gpt_varlen", "gpt_varlen.expandable", "gpt_varlen.max_split_32", "gpt_varlen.roundup4", "gpt_varlen.rounduplist", "gpt_varlen.gc06"},
      {"llama_generate", "llama_generate.expandable"},
      {"cat_growth", "cat_growth.expandable"},
      {"vision_varsize", "vision_varsize.limit"},
      {"gpt_fixed_accum_amp", "gpt_fixed_accum_amp.stacks"},
      {"device_oom", "device_oom.expandable"},
      {"gpt_oom", "gpt_oom.expandable", "gpt_oom.max_split_64"},
      {"gpt_empty"}, {"cuda_graph"}, {"mempool"}, {"prefetch_streams"}};
    for (String[] family : families) {
      List<RecordedRun> runs = Arrays.stream(family).map(RecordedRun::model).toList();
      for (RecordedRun s : runs) for (RecordedRun t : runs) {
        if (s == t && runs.size() > 1) continue;
        Scenario sc = Scenario.of(t.conf(), PyTorchVersion.V2_11, t.limitBytes(), DeviceProfiles.defaultProfile());
        EffectComparison cmp = new EffectComparison(t.effects());
        ScenarioResult r = ScenarioRun.run(s.trace(), 0, sc, AfterOom.CONTINUE, cmp);
        int eq = 0; List<String> diff = new ArrayList<>();
        for (var e : t.stats().entrySet()) if (e.getValue().equals(r.stats().get(e.getKey()))) eq++; else diff.add(e.getKey()+"="+r.stats().get(e.getKey())+"/"+e.getValue());
        System.out.println(s + " -> " + t + " same=" + s.asksTheSameAs(t) + " eqRows=" + s.equalRows(t) + "/" + s.trace().eventCount()+"/"+t.trace().eventCount() + " peak " + t.stats().get("reserved_bytes.all.peak") + " " + r.peakReservedBytes() + " keys " + eq + "/" + t.stats().size() + " " + (diff.size() < 8 ? diff : diff.subList(0,3)) + " effects " + cmp.rowsEqual() + "/" + t.effects().count() + " " + cmp.difference() + " oom t=" + t.firstFailure() + " r=" + r.firstOom().map(FailedRequest::requestIndex)+" s="+s.firstFailure());
        if (!t.messages().isEmpty()) { System.out.println("   T " + t.messages().getFirst()); System.out.println("   R " + r.firstOom().map(FailedRequest::message)); }
      }
    }
  }
}
