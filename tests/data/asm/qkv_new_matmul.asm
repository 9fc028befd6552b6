program matmul
target QKV
hbm 24576
input A @0 bf16[64,64]
input B @8192 bf16[64,64]
output C @16384 bf16[64,64]
code {
  load_01 n=64 [addr_in=0, addr_out=0]
  load_03 n=64 [addr_in=8192, addr_out=0]
  gemm_13 [addr_1=0, addr_2=0, addr_out=0]
  mov_21 n=64 [addr_in=0, addr_out=0]
  store_10 n=64 [addr_in=0, addr_out=16384]
}
