"""NH-filesystem: n threads create files; those whose numbers are 13 apart look for blocks in the same place."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


INODES = 32
BLOCKS = 26


def program(n=14):
    inode_locks = [threading.Lock() for _ in range(INODES)]
    block_locks = [threading.Lock() for _ in range(BLOCKS)]
    inode = [0] * INODES
    busy = [False] * BLOCKS

    def create(tid):
        i = tid % INODES
        with inode_locks[i]:
            if inode[i] == 0:
                b = i * 2 % BLOCKS
                for _ in range(10):
                    with block_locks[b]:
                        if not busy[b]:
                            busy[b] = True
                            inode[i] = b + 1
                            break
                    b = (b + 1) % BLOCKS

    run(*[lambda tid=tid: create(tid) for tid in range(n)])


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
