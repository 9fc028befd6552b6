program softmax
target QKV
hbm 24576
input X @0 bf16[64,64]
const I @16384 bf16[64,64] = eye
output Y @8192 bf16[64,64]
code {
  load_01 n=64 [addr_in=0, addr_out=0]
  load_03 n=64 [addr_in=16384, addr_out=0]
  gemm_13 [addr_1=0, addr_2=0, addr_out=0]
  softmax n=64 [addr=0]
  mov_21 n=64 [addr_in=0, addr_out=0]
  store_10 n=64 [addr_in=0, addr_out=8192]
}
