package org.allocsim.reports.advice;
import java.util.*;
import org.junit.jupiter.api.Test;
import org.allocsim.simulator.device.*;
import org.allocsim.simulator.effect.*;
import org.allocsim.simulator.policy.pytorch.*;
class Scratch2Test {
  @Test void all() throws Exception {
    long P = 2L<<20;
    for (String a : System.getProperty("runs","gpt_varlen,llama_generate").split(",")) {
      RecordedRun r = RecordedRun.model(a);
      EffectLog rec = r.effects();
      EffectLog out = new EffectLog();
      DeviceProfile prof = DeviceProfiles.defaultProfile();
      if (Boolean.getBoolean("learn")) prof = prof.withHistory(r.addressHistory());  if (Boolean.getBoolean("learn")) org.allocsim.simulator.device.HistDump.dump(prof.history());
      Scenario s = Scenario.of(r.conf(), PyTorchVersion.V2_11, r.limitBytes(), prof);
      ScenarioRun.run(r.trace(), 0, s, AfterOom.CONTINUE, new EffectRows() {
        @Override protected void row(EffectKind k, long addr, long bytes, int stream) { out.add(k, addr, bytes, stream); }
      });
      long A = 0; for (int i=0;i<rec.count();i++) if (rec.kind(i)==EffectKind.SEGMENT_ALLOC) { A = rec.address(i); break; }
      long B = 0; for (int i=0;i<out.count();i++) if (out.kind(i)==EffectKind.SEGMENT_ALLOC) { B = out.address(i); break; }
      StringBuilder sb = new StringBuilder(a + ": ");
      int req=0;
      for (int i = 0; i < Math.min(rec.count(), out.count()) && sb.length() < Integer.getInteger("len", 6000); i++) {
        if (rec.kind(i)==EffectKind.ALLOC||rec.kind(i)==EffectKind.OOM) req++;
        if (rec.kind(i)!=out.kind(i)||rec.bytes(i)!=out.bytes(i)) { sb.append(" !!row " + i+" "+rec.kind(i)+" "+out.kind(i)); break; }
        if (rec.kind(i)==EffectKind.SEGMENT_ALLOC || rec.kind(i)==EffectKind.SEGMENT_FREE) {
          if (i < Integer.getInteger("from", 0)) continue;
          sb.append(rec.kind(i)==EffectKind.SEGMENT_FREE?" -":" ").append(rec.bytes(i)/P).append("@").append((rec.address(i)-A)/P);
          if (rec.address(i)-A != out.address(i)-B) sb.append("|").append((out.address(i)-B)/P);
          sb.append("(" + req + ")");
        }
      }
      System.out.println(sb);
    }
  }
}
