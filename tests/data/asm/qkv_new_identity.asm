program identity
target QKV
hbm 16384
input X @0 bf16[64,64]
output Y @8192 bf16[64,64]
code {
  load_01 n=64 [addr_in=0, addr_out=0]
  store_10 n=64 [addr_in=0, addr_out=8192]
}
