#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf out, again;
static sigjmp_buf other;

static void deep(int n) {
    int here[4] = {n};
    if (n == 0) longjmp(out, 42);
    deep(here[0] - 1);
}
static int order(const void *one, const void *two) {
    if (*(int *)one == 3 || *(int *)two == 3) siglongjmp(other, 0);
    return *(int *)one - *(int *)two;
}
static int nested(void) {
    jmp_buf inner;
    volatile int rounds = 0;
    int value = setjmp(inner);
    rounds++;
    if (value < 3) longjmp(inner, value + 1);
    return rounds * 10 + value;
}
static void handler(void *text) { printf("<%s>", (char *)text); }
static void leaves(int value) {
    pthread_cleanup_push(handler, "inner");
    if (value) pthread_exit((void *)(intptr_t)value);
    pthread_cleanup_pop(1);
}
static void *thread(void *x) {
    pthread_cleanup_push(handler, "outer");
    leaves(0);
    leaves(7);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    volatile int count = 0;
    int value = setjmp(out);
    printf("%d %d | ", value, count);
    if (count++ == 0) deep(3);
    switch (setjmp(again)) {
    case 0: printf("first "); longjmp(again, 1);
    case 1: printf("second "); longjmp(again, 2);
    default: printf("last | ");
    }
    int numbers[] = {5, 4, 3, 2};
    if (sigsetjmp(other, 1)) printf("out of qsort | ");
    else qsort(numbers, 4, sizeof(int), order);
    for (int i = 0; i < 3; i++) printf("%d ", nested());
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
