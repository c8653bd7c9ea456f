#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

/* Instructions of inline assembly: their results, and what they leave in registers and flags. */
#define A __asm__ __volatile__
int main(void){
  { int x=5; A("lock; incl %0" : "+m"(x)); A("lock incl %0" : "=m"(x) : "m"(x)); A("lock\n\tdecl %0":"+m"(x));
    printf("%d\n", x); }
  { int x=2; unsigned char c; A("lock; decl %0; sete %1" : "+m"(x), "=qm"(c) :: "memory"); printf("%d %d\n", x, c);
    A("lock; decl %0; sete %1" : "+m"(x), "=qm"(c) :: "memory"); printf("%d %d\n", x, c);
    A("decl %0; sets %1" : "+m"(x), "=qm"(c) :: "memory"); printf("%d %d\n", x, c);}
  { int x=1, c; A("lock decl %0" : "+m"(x), "=@ccz"(c) :: "memory"); printf("%d %d\n", x, c);
    A("lock decl %0" : "+m"(x), "=@ccnz"(c) :: "memory"); printf("%d %d\n", x, c); }
  { int x=7, i=3; A("lock; xaddl %0, %1" : "+r"(i), "+m"(x) :: "memory"); printf("%d %d\n", x, i); }
  { short x=7, i=3; A("lock; xaddw %0, %1" : "+r"(i), "+m"(x) :: "memory"); printf("%d %d\n", x, i); }
  { signed char x=7, i=127; A("lock; xaddb %0, %1" : "+q"(i), "+m"(x) :: "memory"); printf("%d %d\n", x, i); }
  { long x=7, i=-3; A("lock; xaddq %0, %1" : "+r"(i), "+m"(x) :: "memory"); printf("%ld %ld\n", x, i);
    A("xadd %0, %1" : "+r"(i), "+m"(x) :: "memory"); printf("%ld %ld\n", x, i); }
  { long x=4, p; A("lock; cmpxchgq %2,%1" : "=a"(p), "+m"(x) : "r"(9L), "0"(4L) : "memory");
    printf("%ld %ld\n", x, p); A("lock; cmpxchgq %2,%1" : "=a"(p), "+m"(x) : "r"(1L), "0"(4L) : "memory");
    printf("%ld %ld\n", x, p); }
  for (int o = 3; o < 5; o++) { int x=4, old=o; char ok;
    A("lock\n\tcmpxchgl %k3, %[mem]\n\tsetz %b0" : "=q"(ok), [mem]"+m"(x), "+a"(old) : "r"(8) : "memory", "cc");
    printf("%d %d %d\n", x, old, ok); }
  for (int o = 3; o < 5; o++) { int x=4, old=o; char ok;
    A("cmpxchgl %3, %1 ; setne %0" : "=q"(ok), "+m"(x), "+a"(old) : "r"(8) : "memory", "cc");
    printf("%d %d %d\n", x, old, ok); }
  for (int o = 3; o < 5; o++) { unsigned char x=4, old=o; _Bool ok;
    A("lock cmpxchgb %3, %1" : "=@cce"(ok), "+m"(x), "+a"(old) : "q"((unsigned char)8) : "memory");
    printf("%d %d %d\n", x, old, ok); }
  { int x=4, r=1; A("xchgl %0, %1" : "=r"(r), "=m"(x) : "0"(r), "m"(x) : "memory"); printf("%d %d\n", x, r);
    A("xchg %1, %0" : "+r"(r), "+m"(x)); printf("%d %d\n", x, r); }
  { int x=4, r=1; A("xchgl %0, %1" : "+r"(r), "+r"(x)); printf("%d %d\n", x, r); }
  { uint32_t x=0x12345678; A("bswap %0" : "=r"(x) : "0"(x)); printf("%x\n", x); A("bswapl %0" : "+r"(x));
    uint64_t y=0x123456789abcdef0; A("bswapq %q0" : "+r"(y)); printf("%x %lx\n", x, y); }
  { char b[16]; void *p=b; size_t n=15; A("cld; rep; stosb" : "+D"(p), "+c"(n) : "a"('x') : "memory"); b[15]=0;
    printf("%s %ld %ld\n", b, (char*)p-b, n); }
  { uint32_t b[5]={0}; void *p=b; size_t n=4; A("rep stosl" : "+D"(p), "+c"(n) : "a"(0x01020304) : "memory");
    printf("%x %x %x %ld\n", b[0], b[3], b[4], (char*)p-(char*)b); }
  { uint64_t b[5]={0}; int d0, d1; A("rep stosq" : "=&c"(d0), "=&D"(d1) : "a"(-2L), "1"(b), "0"(4L) : "memory");
    printf("%lx %lx %lx\n", b[0], b[3], b[4]); }
  { char s[]="hello, world", t[20]; int d0,d1,d2;
    A("rep ; movsb" : "=&c"(d0), "=&D"(d1), "=&S"(d2) : "0"(sizeof s), "1"(t), "2"(s) : "memory"); puts(t); }
  { char s[]="abcdefghijk"; void *d=s+2, *f=s; size_t n=6;
    A("rep movsb" : "+c"(n), "+D"(d), "+S"(f) :: "memory"); puts(s); }
  { char s[]="abcdefghijk"; void *d=s, *f=s+2; size_t n=2;
    A("rep movsl" : "+c"(n), "+D"(d), "+S"(f) :: "memory"); puts(s); }
  { int x=9, r; A("movl %1, %0" : "=r"(r) : "m"(x)); A("movl %1, %0" : "=m"(x) : "ir"(77));
    printf("%d %d\n", r, x); long l; A("movq %1,%0" : "=r"(l) : "r"(-5L)); printf("%ld\n", l); }
  { int x=9; A("lock; addl %1,%0" : "+m"(x) : "ir"(5)); A("lock; subl %1,%0" : "+m"(x) : "ir"(20));
    A("lock; orl $0x10,%0" : "+m"(x)); A("lock; andl $~3,%0" :: "m"(x) : "memory"); A("lock; xorl $1,%0" : "+m"(x));
    A("lock notl %0":"+m"(x)); printf("%d\n", x); }
  { long x=9; A("lock; addq %1,%0" : "+m"(x) : "er"(-5)); A("lock; addq %1,%0" : "+m"(x) : "er"(-50L));
    printf("%ld\n", x); }
  { int x=9, *p=&x; A("lock; incl (%0)" :: "r"(p) : "memory"); A("incl 0(%0)" :: "r"(p) : "memory");
    printf("%d\n", x); struct {int a,b;} q={1,2}; A("lock; addl $3, 4(%0)" :: "r"(&q) : "memory");
    printf("%d %d\n", q.a, q.b);}
  { int x=9; A("movb $0,%0" : "+m"(*(char*)&x) :: "memory"); printf("%d\n", x); }
  { unsigned a=3,b=5; unsigned char c[12]; A("cmpl %2,%1; setb %0":"=q"(c[0]):"r"(a),"r"(b));
    A("cmpl %2,%1; seta %0":"=q"(c[1]):"r"(a),"r"(b)); A("cmpl %2,%1; setl %0":"=q"(c[2]):"r"(a),"r"(-b));
    A("addl %2,%1; setc %0":"=q"(c[3]),"+r"(a):"r"(-1)); A("testl %1,%1; setz %0":"=q"(c[4]):"r"(0));
    A("cmpl %2,%1; setg %0":"=q"(c[5]):"r"(a),"r"(b)); A("cmpl %2,%1; setle %0":"=q"(c[6]):"r"(a),"r"(b));
    A("cmpl %2,%1; setae %0":"=q"(c[7]):"r"(a),"r"(b)); for(int i=0;i<8;i++) printf("%d ", c[i]); printf("%d\n", a); }
  { int r = 3, x = 8; A("cmpl %1, %0; cmovl %1, %0" : "+r"(r) : "r"(x)); printf("%d\n", r); A("negl %0" : "+r"(r));
    printf("%d\n", r); }
  { uint64_t v[2] __attribute__((aligned(16)))={1,2}, lo=1, hi=2; char ok;
    A("lock; cmpxchg16b %1; setz %0" : "=q"(ok), "+m"(*(__int128*)v), "+a"(lo), "+d"(hi) : "b"(7L), "c"(8L) : "memory"); printf("%d %ld %ld %ld %ld\n", ok, v[0], v[1], lo, hi); ok=9; A("lock; cmpxchg16b %1; setz %0" : "=q"(ok), "+m"(*(__int128*)v), "+a"(lo), "+d"(hi) : "b"(70L), "c"(80L) : "memory"); printf("%d %ld %ld %ld %ld\n", ok, v[0], v[1], lo, hi); }
  { uint64_t v=5; uint32_t lo=5, hi=0; char ok;
    A("lock; cmpxchg8b %1; setz %0" : "=q"(ok), "+m"(v), "+a"(lo), "+d"(hi) : "b"(7), "c"(8) : "memory");
    printf("%d %lx %d %d\n", ok, v, lo, hi); }
  { int r = 0x1234; char one = 1; A("testb %1,%1; sete %b0" : "+q"(r) : "q"(one)); printf("%x\n", r); }
  { long r = -1; A("movl $5, %k0" : "+r"(r)); printf("%lx\n", r); }
  { unsigned lo, hi; A("rdtsc" : "=a"(lo), "=d"(hi)); int q;
    A("cpuid" : "=a"(q) : "0"(0) : "ebx","ecx","edx","memory"); }
  { int x = 3; A("" : "+r"(x), "+m"(x)); A("" ::: "memory"); A("" : "+r"(x)); A("# comment" ::: "memory");
    A("mfence":::"memory");A("lfence":::"memory");A("sfence":::"memory");A("pause");A("rep; nop");A("rep nop");
    A("lock; addl $0,0(%%rsp)":::"memory","cc"); A("lock; orq $0,(%%rsp)":::"memory","cc");
    A("prefetchnta %0"::"m"(x)); printf("%d\n", x); }
  return 0; }
