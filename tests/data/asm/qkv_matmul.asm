program matmul
target QKV
hbm 24576
input A @0 bf16[64,64]
input B @8192 bf16[64,64]
output C @16384 bf16[64,64]
code {
  load_rm n=64 [addr_in=0, addr_out=0]
  load_rm n=64 [addr_in=8192, addr_out=64]
  gemm [addr_1=0, addr_2=64, addr_out=0]
  mov n=64 [addr_in=0, addr_out=0]
  store_rm n=64 [addr_in=0, addr_out=16384]
}
