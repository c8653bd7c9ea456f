/* An interpreter of byte code: a loop around a switch, with a branch every few instructions. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PUSH, ADD, SUB, MUL, LESS, JUMP, JUMP_IF_NOT, LOAD, STORE, MODULO, DUPLICATE, END };

/* The program is one step of a Collatz sequence; counted are the numbers whose sequences have more than 60 steps. */
static int halved(long *stack, int top) {
    stack[top - 1] /= 2;
    return top;
}

static long run(long bound) {
    long stack[16], variables[10] = {0};
    int top = 0, at = 0;
    long n = 1, x = 1, steps = 0, found = 0, executed = 0;
    static const unsigned char code[] = {
        /*  0 */ LOAD, 2, PUSH, 1, LESS, JUMP_IF_NOT, 12, /* not (x < 1 + 1)? */
        /*  7 */ LOAD, 1, PUSH, 1, ADD, /* leaves n + 1 */
        /* 12 */ LOAD, 2, PUSH, 2, MODULO, JUMP_IF_NOT, 29,
        /* 19 */ LOAD, 2, PUSH, 3, MUL, PUSH, 1, ADD, JUMP, 31,
        /* 29 */ LOAD, 2,
        /* 31 */ STORE, 2, LOAD, 3, PUSH, 1, ADD, STORE, 3, END,
    };
    variables[1] = n;
    while (n < bound) {
        x = n, steps = 0;
        variables[2] = x, variables[3] = steps;
        while (variables[2] > 1 && variables[3] < 300) {
            long before = variables[2];
            at = 0, top = 0;
            for (int running = 1; running;) {
                executed++;
                switch (code[at++]) {
                case PUSH: stack[top++] = code[at++]; break;
                case ADD: top--, stack[top - 1] += stack[top]; break;
                case SUB: top--, stack[top - 1] -= stack[top]; break;
                case MUL: top--, stack[top - 1] *= stack[top]; break;
                case LESS: top--, stack[top - 1] = stack[top - 1] < stack[top]; break;
                case MODULO: top--, stack[top - 1] %= stack[top]; break;
                case JUMP: at = code[at]; break;
                case JUMP_IF_NOT:
                    if (stack[--top]) at++;
                    else at = code[at];
                    break;
                case LOAD: stack[top++] = variables[code[at++]]; break;
                case STORE: variables[code[at++]] = stack[--top]; break;
                case DUPLICATE: stack[top] = stack[top - 1], top++; break;
                default: running = 0;
                }
            }
            if (before % 2 == 0) {
                stack[0] = variables[2];
                top = halved(stack, 1);
                variables[2] = stack[0];
            }
        }
        if (variables[3] > 60) found++;
        n++;
    }
    return found * 1000000007L + executed;
}

static void *work(void *bound) { return (void *)run((long)bound); }

int main(int argc, char **argv) {
    long bound = argc > 1 ? atol(argv[1]) : 40000;
    pthread_t threads[2];
    unsigned long sum = 0;
    for (int each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, (void *)(bound + each));
    for (int each = 0; each < 2; each++) {
        void *own;
        pthread_join(threads[each], &own);
        sum += (unsigned long)own;
    }
    printf("%lu\n", sum);
}
