"""A thread takes a node of a pool while another marks one dead, and alive again."""

# package: elastic-transport
# include: elastic_transport
# expect: bug

from elastic_transport import NodeConfig, NodePool, Urllib3HttpNode
from together import run


def test():
    configs = [NodeConfig("http", f"node{n}", 9200) for n in range(2)]
    pool = NodePool(configs, Urllib3HttpNode)

    def use():
        node = pool.get()
        assert node in pool.all()

    def fail():
        node = pool.get()
        pool.mark_dead(node)
        pool.mark_live(node)

    run(use, fail)
    assert len(pool) == 2
