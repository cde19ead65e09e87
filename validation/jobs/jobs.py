import os,sys,torch,torch.distributed as dist,torch.nn as nn
kind=sys.argv[1]
dist.init_process_group("nccl"); r=dist.get_rank(); w=dist.get_world_size(); torch.cuda.set_device(r); d=torch.device("cuda",r)
torch.manual_seed(0)
def block(n=1024): return nn.TransformerEncoderLayer(n,16,4*n,batch_first=True,dropout=0.0)
if kind in("ddp","ddp_limit"):
    if kind=="ddp_limit": torch.cuda.set_per_process_memory_fraction(float(os.environ.get("F","0.04")) if r==1 else 0.2)
    m=nn.Sequential(*[block() for _ in range(8)]).to(d); m=nn.parallel.DistributedDataParallel(m,device_ids=[r]); o=torch.optim.AdamW(m.parameters())
    g=torch.Generator().manual_seed(r)
    for i in range(8):
        L=256 if kind=="ddp" else (512 if r==1 and i>3 else 256)
        x=torch.randn(16,L,1024,device=d)
        try: m(x).square().mean().backward(); o.step(); o.zero_grad()
        except torch.OutOfMemoryError as e: print("OOM rank",r,"step",i,flush=True); raise SystemExit(3)
elif kind=="pipe":
    from torch.distributed.pipelining import PipelineStage,Schedule1F1B
    m=nn.Sequential(*[block() for _ in range(4)]).to(d)
    st=PipelineStage(m,r,w,d); sch=Schedule1F1B(st,n_microbatches=8,loss_fn=lambda a,b:(a-b).square().mean())
    o=torch.optim.AdamW(m.parameters())
    for i in range(5):
        x=torch.randn(32,256,1024,device=d)
        if r==0: sch.step(x)
        else: sch.step(target=torch.zeros(32,256,1024,device=d))
        o.step(); o.zero_grad()
elif kind=="fsdp2":
    from torch.distributed.fsdp import fully_shard
    m=nn.Sequential(*[block() for _ in range(8)]).to(d)
    for b in m: fully_shard(b)
    fully_shard(m); o=torch.optim.AdamW(m.parameters())
    for i in range(5):
        x=torch.randn(16,256,1024,device=d); m(x).square().mean().backward(); o.step(); o.zero_grad()
elif kind=="fsdp1":
    from torch.distributed.fsdp import FullyShardedDataParallel as F
    m=nn.Sequential(*[F(block().to(d)) for _ in range(8)]); m=F(m); o=torch.optim.AdamW(m.parameters())
    for i in range(5):
        x=torch.randn(16,256,1024,device=d); m(x).square().mean().backward(); o.step(); o.zero_grad()
elif kind=="tp":
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import parallelize_module,ColwiseParallel,RowwiseParallel
    mesh=init_device_mesh("cuda",(w,))
    class B(nn.Module):
        def __init__(s): super().__init__(); s.a=nn.Linear(2048,8192); s.b=nn.Linear(8192,2048); s.n=nn.LayerNorm(2048)
        def forward(s,x): return x+s.b(torch.nn.functional.gelu(s.a(s.n(x))))
    m=nn.Sequential(*[B() for _ in range(8)]).to(d)
    for b in m: parallelize_module(b,mesh,{"a":ColwiseParallel(),"b":RowwiseParallel()})
    o=torch.optim.AdamW(m.parameters(),foreach=False)
    for i in range(5):
        x=torch.randn(8,512,2048,device=d); m(x).square().mean().backward(); o.step(); o.zero_grad()
elif kind=="moe":
    m=nn.Sequential(*[block() for _ in range(4)]).to(d); ex=nn.Sequential(nn.Linear(1024,4096),nn.GELU(),nn.Linear(4096,1024)).to(d); o=torch.optim.AdamW(list(m.parameters())+list(ex.parameters()))
    for i in range(6):
        x=torch.randn(16,256,1024,device=d); h=m(x).reshape(-1,1024)
        share=0.5 if i%3 else 0.85
        n=int(len(h)*2*(share if r==0 else 1-share))
        buf=h.repeat(2,1)[:max(n,8)]
        (ex(buf).square().mean()+h.square().mean()).backward(); o.step(); o.zero_grad()
elif kind=="zero1":
    from torch.distributed.optim import ZeroRedundancyOptimizer
    m=nn.Sequential(*[block() for _ in range(8)]).to(d); m=nn.parallel.DistributedDataParallel(m,device_ids=[r]); o=ZeroRedundancyOptimizer(m.parameters(),torch.optim.AdamW)
    for i in range(5):
        x=torch.randn(16,256,1024,device=d); m(x).square().mean().backward(); o.step(); o.zero_grad()
elif kind in("interleaved","zerobubble"):
    from torch.distributed.pipelining import PipelineStage
    from torch.distributed.pipelining.schedules import ScheduleInterleaved1F1B,ScheduleInterleavedZeroBubble
    chunks=[nn.Sequential(*[block() for _ in range(2)]).to(d) for _ in range(2)]
    stages=[PipelineStage(c,r+w*k,2*w,d) for k,c in enumerate(chunks)]
    sch=(ScheduleInterleaved1F1B if kind=="interleaved" else ScheduleInterleavedZeroBubble)(stages,n_microbatches=8,loss_fn=lambda a,b:(a-b).square().mean())
    o=torch.optim.AdamW([p for c in chunks for p in c.parameters()])
    for i in range(5):
        x=torch.randn(32,256,1024,device=d)
        if r==0: sch.step(x)
        else: sch.step(target=torch.zeros(32,256,1024,device=d))
        o.step(); o.zero_grad()
elif kind=="fsdp2_mixed":
    from torch.distributed.fsdp import fully_shard,MixedPrecisionPolicy
    p=MixedPrecisionPolicy(param_dtype=torch.bfloat16,reduce_dtype=torch.float32)
    m=nn.Sequential(*[block() for _ in range(8)]).to(d)
    for b in m: fully_shard(b,mp_policy=p)
    fully_shard(m,mp_policy=p); o=torch.optim.AdamW(m.parameters())
    for i in range(5):
        x=torch.randn(16,256,1024,device=d); m(x).square().mean().backward(); o.step(); o.zero_grad()
elif kind in("sequence","tp_attention"):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard
    from torch.distributed.tensor.parallel import parallelize_module,ColwiseParallel,RowwiseParallel,SequenceParallel,PrepareModuleInput
    mesh=init_device_mesh("cuda",(w,))
    class A(nn.Module):
        def __init__(s): super().__init__(); s.q=nn.Linear(2048,2048); s.k=nn.Linear(2048,2048); s.v=nn.Linear(2048,2048); s.o=nn.Linear(2048,2048)
        def forward(s,x):
            q,k,v=[f(x).unflatten(-1,(-1,128)).transpose(1,2) for f in(s.q,s.k,s.v)]
            return s.o(torch.nn.functional.scaled_dot_product_attention(q,k,v,is_causal=True).transpose(1,2).flatten(2))
    class F(nn.Module):
        def __init__(s): super().__init__(); s.a=nn.Linear(2048,8192); s.b=nn.Linear(8192,2048)
        def forward(s,x): return s.b(torch.nn.functional.gelu(s.a(x)))
    class B(nn.Module):
        def __init__(s): super().__init__(); s.n1=nn.LayerNorm(2048); s.att=A(); s.n2=nn.LayerNorm(2048); s.ff=F()
        def forward(s,x): x=x+s.att(s.n1(x)); return x+s.ff(s.n2(x))
    m=nn.Sequential(*[B() for _ in range(8)]).to(d,torch.bfloat16)
    seq=kind=="sequence"; out={"output_layouts":Shard(1)} if seq else {}
    for b in m:
        plan={"att.q":ColwiseParallel(),"att.k":ColwiseParallel(),"att.v":ColwiseParallel(),"att.o":RowwiseParallel(**out),"ff.a":ColwiseParallel(),"ff.b":RowwiseParallel(**out)}
        if seq:
            from torch.distributed.tensor import Replicate
            plan|={"n1":SequenceParallel(),"n2":SequenceParallel()}
            plan|={k:PrepareModuleInput(input_layouts=(Shard(1),),desired_input_layouts=(Replicate(),)) for k in("att","ff")}
        parallelize_module(b,mesh,plan)
    o=torch.optim.AdamW(m.parameters(),foreach=False)
    for i in range(5):
        x=torch.randn(8,1024//(w if seq else 1),2048,device=d,dtype=torch.bfloat16); y=m(x)
        (y.to_local() if hasattr(y,"to_local") else y).square().mean().backward(); o.step(); o.zero_grad()
print(kind,r,torch.cuda.max_memory_reserved(),torch.cuda.max_memory_allocated(),flush=True)
dist.barrier() if kind!="ddp_limit" else None
os.sync()
dist.destroy_process_group() if kind!="ddp_limit" else None
