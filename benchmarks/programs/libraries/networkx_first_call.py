"""Two threads make the first calls of a function."""

# package: networkx
# include: networkx
# expect: bug

import networkx as nx
from together import run


def test():
    graph = nx.Graph([(1, 2), (2, 3), (1, 4)])

    def use(a, b, length):
        def body():
            assert len(nx.shortest_path(graph, a, b)) == length

        return body

    run(use(1, 3, 3), use(4, 3, 4))
