#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int numbers[64];
static double doubles[64];
static float floats[64];
static unsigned short shorts[64];

int main(void) {
    for (int i = 0; i < 64; i++) {
        numbers[i] = (i * 7919) % 101 - 50;
        doubles[i] = numbers[i] / 4.0;
        floats[i] = numbers[i] / 8.0f;
        shorts[i] = numbers[i] * 77;
    }
    int sum = 0, most = INT_MIN, least = INT_MAX, bits = 0, all = -1, any = 0, product = 1, absolute = 0;
    for (int i = 0; i < 64; i++) {
        sum += numbers[i];
        most = numbers[i] > most ? numbers[i] : most;
        least = numbers[i] < least ? numbers[i] : least;
        bits += __builtin_popcount(numbers[i]);
        all &= numbers[i] | 3;
        any |= numbers[i];
        product *= numbers[i] | 1;
        absolute += abs(numbers[i]);
    }
    printf("%d %d %d %d %d %d %d %d\n", sum, most, least, bits, all, any, product, absolute);
    for (int i = 0; i < 64; i++) {
        doubles[i] = fabs(floor(doubles[i])) + sqrt(fabs(doubles[i])) + fmax(doubles[i], 2.0);
        floats[i] = fabsf(floats[i]) * 0.1f + floats[i] * floats[i];
        shorts[i] = (unsigned short)(shorts[i] << 3 | shorts[i] >> 13);
    }
    double total = 0;
    float small = 0;
    unsigned mixed = 0;
    for (int i = 0; i < 64; i++) total += doubles[i], small += floats[i], mixed = mixed * 31 + shorts[i];
    printf("%.15g %.9g %u\n", total, small, mixed);
    uint8_t c = 200;
    int8_t s = 100;
    uint64_t wide = 0x0123456789abcdefULL;
    int over;
    long far;
    printf("%d %d %d %d ", __builtin_bswap16(0x1234), __builtin_bswap32(1), __builtin_clz(5), __builtin_ctzl(96));
    printf("%lx %d %d ", __builtin_bswap64(wide), __builtin_parity(7), __builtin_ffs(12));
    printf("%d %d ", __builtin_add_overflow(INT_MAX, 1, &over), over);
    printf("%d %ld ", __builtin_mul_overflow(LONG_MAX, 2L, &far), far);
    printf("%d %d ", __builtin_sub_overflow(3u, 5u, (unsigned *)&over), over);
    printf("%u %u ", (unsigned)(wide << 13 | wide >> 51), __builtin_rotateleft32(0x80000001u, 4));
    printf("%d %x\n", __builtin_bitreverse8(c), __builtin_bitreverse32(wide));
    unsigned __int128 huge = (unsigned __int128)wide * wide;
    printf("%lx %lx %d\n", (uint64_t)huge, (uint64_t)(huge >> 64), __builtin_popcountll((uint64_t)(huge >> 3)));
    typedef int four __attribute__((vector_size(16)));
    four one = {1, -2, 3, -4}, two = {4, 3, 2, 1}, three = one * two + (one > two);
    printf("%d %d %d %d\n", three[0], three[1], three[2], three[3]);
    return 0;
}
