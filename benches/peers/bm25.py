"""Peers of BM25: the same passages and questions, one thread, ten hits each."""

import contest

DEPTH = 10


def bm25s(passages):
    import bm25s as library

    tokens = library.tokenize(passages, stopwords="en", show_progress=False)
    index = library.BM25(k1=1.2, b=0.75)
    index.index(tokens, show_progress=False)

    def search(question):
        own = library.tokenize(question, stopwords="en", show_progress=False)
        index.retrieve(own, k=DEPTH, show_progress=False, n_threads=1)

    return search


def tantivy(passages):
    import tantivy as library

    builder = library.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    index = library.Index(builder.build())
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for passage in passages:
        writer.add_document(library.Document(text=[passage]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question):
        words = "".join(c if c.isalnum() else " " for c in question)
        searcher.search(index.parse_query(words, ["text"]), DEPTH)

    return search


def main():
    engine, params = contest.parameters()
    search = {"bm25s": bm25s, "tantivy": tantivy}[engine](params["passages"])

    def work():
        for question in params["questions"]:
            search(question)

    work()
    contest.serve({}, work)


main()
