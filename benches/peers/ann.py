"""Peers of the dense leg: approximate search over the same unit vectors, one thread, at several search widths."""

import time

import numpy as np

import contest

DEPTH = 10


def hnswlib(vectors, params):
    import hnswlib

    index = hnswlib.Index("ip", vectors.shape[1])
    index.init_index(len(vectors), M=params["connections"], ef_construction=params["ef_construction"])
    index.set_num_threads(params["threads"])
    index.add_items(vectors)
    index.set_num_threads(1)

    def search(query, width):
        index.set_ef(width)
        return index.knn_query(query, DEPTH)[0]

    return search


def usearch(vectors, params):
    from usearch.index import Index

    index = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="f32",
        connectivity=params["connections"],
        expansion_add=params["ef_construction"],
    )
    index.add(np.arange(len(vectors)), vectors, threads=params["threads"])

    def search(query, width):
        index.expansion_search = width
        return index.search(query, DEPTH, threads=1).keys

    return search


def faiss(vectors, params):
    import faiss as library

    library.omp_set_num_threads(params["threads"])
    index = library.IndexHNSWFlat(vectors.shape[1], params["connections"], library.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = params["ef_construction"]
    index.add(vectors)
    library.omp_set_num_threads(1)

    def search(query, width):
        index.hnsw.efSearch = width
        return index.search(query, DEPTH)[1]

    return search


def main():
    engine, params = contest.parameters()
    shape = (-1, params["dimension"])
    vectors = np.fromfile(params["vectors"], np.float32).reshape(shape)
    queries = np.fromfile(params["queries"], np.float32).reshape(shape)
    exact = np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :DEPTH]
    started = time.perf_counter()
    search = {"hnswlib": hnswlib, "usearch": usearch, "faiss": faiss}[engine](vectors, params)
    built = time.perf_counter() - started

    def recall(width):
        found = [set(np.ravel(search(query[None], width)).tolist()) for query in queries]
        return float(np.mean([len(own & set(row.tolist())) / DEPTH for own, row in zip(found, exact)]))

    recalls = {width: recall(width) for width in params["widths"]}
    enough = [width for width, value in recalls.items() if value >= params["recall"]]
    width = min(enough) if enough else max(params["widths"])

    def work():
        for query in queries:
            search(query[None], width)

    contest.serve({"build_seconds": built, "width": width, "recall": recalls[width]}, work)


main()
