/* Transfers between accounts. The bug: a transfer locks the account that it takes from first, so two in opposite
   directions may wait for each other. */
#include <pthread.h>
#include <unistd.h>

typedef struct {
    pthread_mutex_t lock;
    int balance;
} account;

static account accounts[3] = {{PTHREAD_MUTEX_INITIALIZER, 50}, {PTHREAD_MUTEX_INITIALIZER, 20}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void transfer(account *from, account *to, int amount) {
    pthread_mutex_lock(&from->lock);
    if (from->balance >= amount) {
        usleep(200);
        pthread_mutex_lock(&to->lock);
        from->balance -= amount;
        to->balance += amount;
        pthread_mutex_unlock(&to->lock);
    }
    pthread_mutex_unlock(&from->lock);
}

static void *first(void *unused) {
    for (int each = 0; each < 3; each++) {
        transfer(&accounts[0], &accounts[2], 15);
        transfer(&accounts[0], &accounts[1], 5);
    }
    return 0;
}

static void *second(void *unused) {
    for (int each = 0; each < 3; each++) {
        transfer(&accounts[1], &accounts[2], 10);
        transfer(&accounts[1], &accounts[0], 5);
    }
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
