// softmax(Q K^T) V in nine instructions.
program attention
target QKV
hbm 32768
input Q @0 bf16[64,64]
input K @8192 bf16[64,64]
input V @16384 bf16[64,64]
output O @24576 bf16[64,64]
code {
  load_rm n=64 [addr_in=0, addr_out=0]         ; q <- Q
  load_cm n=64 [addr_in=8192, addr_out=64]     ; kt <- K
  gemm [addr_1=0, addr_2=64, addr_out=0]       ; s <- q, kt
  softmax n=64 [addr=0]                        ; p <- s
  mov n=64 [addr_in=0, addr_out=0]             ; p1 <- p
  load_rm n=64 [addr_in=16384, addr_out=64]    ; v <- V
  gemm [addr_1=0, addr_2=64, addr_out=0]       ; o <- p1, v
  mov n=64 [addr_in=0, addr_out=0]             ; o1 <- o
  store_rm n=64 [addr_in=0, addr_out=24576]    ; O <- o1
}
