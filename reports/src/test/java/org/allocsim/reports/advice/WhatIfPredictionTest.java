package org.allocsim.reports.advice;

import java.util.*;
import org.allocsim.simulator.device.*;
import org.allocsim.simulator.effect.*;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.policy.pytorch.*;
import org.junit.jupiter.api.Test;

class WhatIfPredictionTest {
  @Test
  void explore() throws Exception {
    String[] names = {"gpt_varlen", "gpt_oom", "gpt_oom.max_split_64", "gpt_empty", "vision_varsize", "cuda_graph","prefetch_streams"};
    String[] sources = {"gpt_varlen.roundup4", "gpt_oom.expandable", "gpt_oom.expandable", "gpt_empty", "vision_varsize.limit", "cuda_graph","prefetch_streams"};
    for (int k = 0; k < names.length; k++) {
      RecordedRun t = RecordedRun.model(names[k]);
      RecordedRun s = RecordedRun.model(sources[k]);
      Scenario sc = Scenario.of(t.conf(), PyTorchVersion.V2_11, t.limitBytes(), DeviceProfiles.defaultProfile());
      HistoryRecorder h = new HistoryRecorder(1L << 40);
      ScenarioRun.run(s.trace(), 0, sc, AfterOom.STOP, h);
      EffectLog p = h.entries();
      // order segment allocs
      List<Integer> a = new ArrayList<>(), b = new ArrayList<>();
      for (int i = 0; i < p.count(); i++) if (p.kind(i) == EffectKind.SEGMENT_ALLOC) a.add(i);
      for (int i = 0; i < t.effects().count(); i++) if (t.effects().kind(i) == EffectKind.SEGMENT_ALLOC) b.add(i);
      System.out.println(t + " segs " + a.size() + " " + b.size());
      long last = Long.MIN_VALUE; int shown = 0;
      for (int i = 0; i < Math.min(a.size(), b.size()) && shown < 45; i++) {
        long d = t.effects().address(b.get(i)) - p.address(a.get(i));
        if (d != last || t.effects().bytes(b.get(i)) != p.bytes(a.get(i))) { shown++; System.out.printf("  #%d rows %d/%d size %d/%d MiB rec %x model %x dist %x (%+d pages)%n", i, b.get(i), a.get(i), t.effects().bytes(b.get(i)) >> 20, p.bytes(a.get(i)) >> 20, t.effects().address(b.get(i)), p.address(a.get(i)), d, last == Long.MIN_VALUE ? 0 : (d - last) >> 21); }
        last = d;
      }
      EffectFollower f = new EffectFollower(t.effects(), 0);
      MemoryStats st = new MemoryStats(sc.config().allocator().maxSplitBytes());
      EffectListener l = EffectListeners.both(st, f);
      CachingAllocator pol = new CachingAllocator(sc.config().allocator(), sc.version(), sc.limitBytes(), new RecordedDevice(t.effects(), f::position, t.totalBytes()), l);
      new Replay(s.trace(), 0, pol, l, st::activeBytes).run(e -> !f.hasDiverged());
      System.out.println("  followed " + f.position() + "/" + t.effects().count() + " prologue " + s.trace().prologueCount());
    }
  }
}
