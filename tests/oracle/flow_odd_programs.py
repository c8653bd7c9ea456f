"""Small programs of odd kinds: each is a way in which threads, calls or processes begin and end."""

from __future__ import annotations

from typing import Final

_HEAD: Final = """\
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <errno.h>
#include <sys/wait.h>
int shared[8]={1,2,3};
"""

#: Name -> source.
ODD: Final = {
    "cancelled": _HEAD
    + r"""
sem_t s;
void *w(void *p){ for(;;) if (sem_wait(&s)==0) shared[0]++; }
int main(){ pthread_t t; sem_init(&s,0,3); pthread_create(&t,0,w,0); usleep(20000); pthread_cancel(t);
    pthread_join(t,0); return shared[0]; }
""",
    "c11": _HEAD
    + r"""
int w(void *p){ if (shared[1]>1) shared[2]++; return 3; }
int main(){ thrd_t t; int r; thrd_create(&t,w,0); thrd_join(t,&r); return r; }
""",
    "destructors": _HEAD
    + r"""
pthread_key_t k; void d(void *p){ if (shared[0]) shared[1]++; }
void *w(void *p){ pthread_setspecific(k,(void*)1); if (shared[2]>2) return 0; return p; }
__attribute__((constructor)) void c(void){ if (shared[0]==1) shared[3]=5; }
__attribute__((destructor)) void e(void){ if (shared[0]) puts("x"); }
int main(){ pthread_t t; pthread_key_create(&k,d); pthread_create(&t,0,w,0); pthread_join(t,0);
    return shared[1]; }
""",
    "abort_in_callback": _HEAD
    + r"""
int c(const void*a,const void*b){ if (++shared[4]>3) abort(); return *(int*)a-*(int*)b; }
int main(){ int v[6]={3,2,1,6,5,4}; qsort(v,6,4,c); return v[0]; }
""",
    "exit_in_atexit": _HEAD
    + r"""
void a(void){ if(shared[0]) _exit(7);} void b(void){ if (shared[1]==2) shared[0]=4; }
int main(){ atexit(a); atexit(b); if (shared[2]) exit(1); return 0; }
""",
    "deep": _HEAD
    + r"""
int f(int n){ if (n<=0) return shared[0]; return f(n-1)+(shared[n&7]&1); }
int main(){ return f(20000)&7; }
""",
    "once": _HEAD
    + r"""
pthread_once_t o=PTHREAD_ONCE_INIT; void i(void){ if(shared[0]) shared[5]=1; }
void *w(void*p){ pthread_once(&o,i); return shared[5]?p:0; }
int main(){ pthread_t t[3]; for(int k=0;k<3;k++) pthread_create(&t[k],0,w,0);
    for(int k=0;k<3;k++) pthread_join(t[k],0); return shared[5]; }
""",
    "jumps": _HEAD
    + r"""
jmp_buf b[3]; int f(int n){ if (n==0) longjmp(b[shared[0]&1],n+2); int r=setjmp(b[2]);
    if (r==0) return f(n-1); return r; }
int main(){ int r=setjmp(b[0]); if (r) return r; r=setjmp(b[1]); if (r) { if (r==2 && shared[1]==2) {
    shared[1]=9; f(2); } return r+4; } return f(4); }
""",
    "overflow": _HEAD
    + r"""
int f(int n){ volatile char b[4096]; b[n&4095]=n; return f(n+1)+b[0]; }
int main(){ if (shared[0]) return f(0); }
""",
    "fault_in_thread": _HEAD
    + r"""
void *w(void*p){ for(int i=0;i<100;i++){ if (shared[i&7]&1) shared[1]+=2;
    if (i==57) *(volatile int*)(long)shared[7]=3; } return 0;}
int main(){ pthread_t t; pthread_create(&t,0,w,0); pthread_join(t,0); }
""",
    "vla": _HEAD
    + r"""
int g(int n){ int a[n]; for(int i=0;i<n;i++) a[i]=shared[i&7]; int s=0;
    for(int i=0;i<n;i++) if(a[i]>1) s+=a[i]; return s;}
int main(){ int s=0; for(int i=1;i<40;i++) s+=g(i); return s&7; }
""",
    "wide": _HEAD
    + r"""
int main(){ unsigned long long x=shared[0]; switch(x<<33){ case 1ull<<33: shared[1]=4; break;
    case 7: shared[2]=1; } for (unsigned char c=250;c>=250||c<4;c++) shared[3]+=c;
    for(long i=-5;i<5;i++) if (i/2==-1||i%3==2) shared[4]++; for (int i=1;i<1000;i=i*3) shared[5]^=i;
    for(short s=10;s>-10;s-=3) if ((s>>1)&1) shared[6]++; return 0; }
""",
    "rwtimes": _HEAD
    + r"""
int main(){ char b[100]; FILE*f=fopen("/etc/passwd","r"); int n=0;
    while (f && fgets(b,100,f)) if (b[0]=='r') n++; char *l=0; size_t z=0; if(f) rewind(f);
    while (f && getline(&l,&z,f)>0) if (strlen(l)>20) n+=2; int x=0; sscanf("5","%d",&x); return n+x&15; }
""",
    "busy": _HEAD
    + r"""
_Atomic int flag;
void *w(void*p){ usleep(2000); flag=1; return 0; }
int main(){ pthread_t t; pthread_create(&t,0,w,0); while(!flag); pthread_join(t,0); return 0; }
""",
    "main_again": _HEAD
    + r"""
int main(int c,char**v){ if (c<4) return main(c+1,v)+shared[0]; return 2; }
""",
}
