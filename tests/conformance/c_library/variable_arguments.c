#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
struct big {long a,b,c;}; struct small{int a,b;}; struct fl{double x,y;};
int many(int a,int b,int c,int d,int e,int f,int g,...){va_list l;va_start(l,g);int s=a+b+c+d+e+f+g;for(int i=0;i<3;i++)s=s*2+va_arg(l,int);va_end(l);return s;}
long mix(const char*t,...){va_list l;va_start(l,t);long s=0;for(;*t;t++)switch(*t){
case 'i':s=s*3+va_arg(l,int);break;case 'l':s=s*3+va_arg(l,long);break;case 'd':s=s*3+(long)va_arg(l,double);break;
case 'L':s=s*3+(long)va_arg(l,long double);break;case 'b':{struct big b=va_arg(l,struct big);s=s*3+b.a+b.b+b.c;break;}
case 's':{struct small b=va_arg(l,struct small);s=s*3+b.a+b.b;break;}case 'f':{struct fl b=va_arg(l,struct fl);s=s*3+(long)(b.x+b.y);break;}
case 'p':s=s*3+strlen(va_arg(l,char*));break;}va_end(l);return s;}
int out(char*b,const char*f,...){va_list l;va_start(l,f);int n=vsnprintf(b,100,f,l);va_end(l);return n;}
double favg(double a,double b,...){va_list l;va_start(l,b);double s=a+b;for(int i=0;i<9;i++)s+=va_arg(l,double);va_end(l);return s;}
int main(){
 printf("%d\n",many(1,2,3,4,5,6,7,8,9,10));
 struct big B={1,2,3};struct small S={4,5};struct fl F={1.5,2.5};
 printf("%ld\n",mix("idLbsfpilbdddddddddfL",1,2.0,3.0L,B,S,F,"four",5,6L,B,1.,2.,3.,4.,5.,6.,7.,8.,9.,F,7.5L));
 char b[100];int n=out(b,"%d|%5s|%-5s|%c|%ld|%.2f|%Lf|%x|%%|%*d|%g|%u|%hhd|%zu",-3,"ab","cd",'x',1L<<40,3.14159,2.5L,255,6,42,1e10,7u,300,(size_t)9);
 printf("%d %s\n",n,b);
 printf("%f\n",favg(1,2,3.,4.,5.,6.,7.,8.,9.,10.,11.));
 char*q;asprintf(&q,"%s-%d","k",3);puts(q);free(q);
 int (*fp)(int,int,int,int,int,int,int,...)=many;printf("%d\n",fp(1,1,1,1,1,1,1,1,1,1));
}
