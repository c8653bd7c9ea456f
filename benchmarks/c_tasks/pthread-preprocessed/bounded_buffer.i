// expected: correct
# 1 "bounded_buffer.c"
# 1 "/usr/include/pthread.h" 1 3 4
typedef unsigned int size_t;
typedef unsigned long int pthread_t;
union pthread_attr_t { char __size[36]; long int __align; };
typedef union pthread_attr_t pthread_attr_t;
typedef struct __pthread_internal_slist { struct __pthread_internal_slist *__next; } __pthread_slist_t;
struct __pthread_mutex_s
{
  int __lock ;
  unsigned int __count;
  int __owner;
  int __kind;
  unsigned int __nusers;
  __extension__ union { struct { short __espins; short __eelision; } __elision_data; __pthread_slist_t __list; };
};
typedef union { char __size[4]; int __align; } pthread_mutexattr_t;
typedef union { char __size[4]; int __align; } pthread_condattr_t;
typedef union { struct __pthread_mutex_s __data; char __size[24]; long int __align; } pthread_mutex_t;
typedef union { char __size[48]; __extension__ long long int __align; } pthread_cond_t;
extern int pthread_create (pthread_t *__restrict __newthread, const pthread_attr_t *__restrict __attr,
      void *(*__start_routine) (void *), void *__restrict __arg) __attribute__ ((__nothrow__)) __attribute__ ((__nonnull__ (1, 3)));
extern int pthread_join (pthread_t __th, void **__thread_return);
extern int pthread_mutex_lock (pthread_mutex_t *__mutex) __attribute__ ((__nothrow__ , __leaf__));
extern int pthread_mutex_unlock (pthread_mutex_t *__mutex) __attribute__ ((__nothrow__ , __leaf__));
extern int pthread_mutex_init (pthread_mutex_t *__mutex, const pthread_mutexattr_t *__mutexattr) __attribute__ ((__nothrow__));
extern int pthread_cond_init (pthread_cond_t *__restrict __cond, const pthread_condattr_t *__restrict __attr);
extern int pthread_cond_signal (pthread_cond_t *__cond);
extern int pthread_cond_wait (pthread_cond_t *__restrict __cond, pthread_mutex_t *__restrict __mutex);
extern long int strtol (const char *__restrict, char **__restrict, int);
extern void *malloc (size_t __size) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__malloc__)) __attribute__ ((__malloc__ (__builtin_free, 1)));
extern void abort (void) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
extern _Float128 strtof128 (const char *__restrict, char **__restrict);
# 5 "bounded_buffer.c" 2
void reach_error(void) { abort(); }

struct cell { int value; struct cell *next; };
pthread_mutex_t lock = { { 0, 0, 0, 0, 0, { { 0, 0 } } } };
pthread_cond_t filled;
struct cell *first;
int taken;

void *put(void *unused)
{
    struct cell *made = malloc(sizeof(struct cell));
    made->value = 7;
    pthread_mutex_lock(&lock);
    made->next = first;
    first = made;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!first)
        pthread_cond_wait(&filled, &lock);
    taken += first->value;
    first = first->next;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_cond_init(&filled, 0);
    pthread_create(&one, 0, put, 0);
    pthread_create(&two, 0, take, 0);
    pthread_create(&three, 0, put, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    if (taken != 7)
        reach_error();
    return 0;
}
