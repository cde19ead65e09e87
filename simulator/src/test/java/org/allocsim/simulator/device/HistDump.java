package org.allocsim.simulator.device;
public class HistDump { public static void dump(AddressHistory h) { long P=2<<20; StringBuilder b=new StringBuilder(); for (int i=0;i<h.count();i++) b.append(h.request(i)).append(' ').append(h.change(i)).append(" [").append(h.offsetBytes(i)/P).append(',').append((h.offsetBytes(i)+h.bytes(i))/P).append(")\n"); System.out.print(b);} }
