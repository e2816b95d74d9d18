"""Drives the vendors' own clients against the stand-ins that our tests use.

What the clients accept is what the vendors send, so this holds the stand-ins to the real shapes, and the tests of
`crates/rag-models/tests/remote` hold our clients to the stand-ins. In an empty virtual environment:

    pip install anthropic==2.14.0 openai==3.57.0
    cargo run -p rag-models --example stand_in -- 8099
    python tests/contract/vendor_clients.py http://127.0.0.1:8099
"""

import sys

import anthropic
import openai

KEY = "test-key-0123456789"
SOURCE = {
    "type": "search_result",
    "source": "a#0",
    "title": "A title",
    "content": [{"type": "text", "text": "Ada says so."}],
    "citations": {"enabled": True},
}
TOOLS = [{"name": "search", "description": "Searches.", "input_schema": {"type": "object"}}]
checks = 0


def check(what, found, expected):
    """Counts a comparison, and stops at the first that fails."""
    global checks
    checks += 1
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


def raised(what, kind, call):
    """The error of `kind` that `call` raises."""
    global checks
    checks += 1
    try:
        call()
    except kind as error:
        return error
    sys.exit(f"{what}: no {kind.__name__}")


def messages_request(model, **more):
    content = [SOURCE, {"type": "text", "text": "Who?"}]
    return {"model": model, "max_tokens": 50, "messages": [{"role": "user", "content": content}], **more}


def check_citation(message):
    citation = message.content[1].citations[0]
    check("citation type", citation.type, "search_result_location")
    check("citation source", citation.source, "a#0")
    check("quote", citation.cited_text, "Ada says so.")
    check("text", "".join(block.text for block in message.content), "Grüße. Source 0 says so. ")


def messages_api(url):
    for headers in [{}, {"anthropic-version": "2023-06-01"}, {"anthropic-version": "2026-10-21"}]:
        client = anthropic.Anthropic(base_url=url, api_key=KEY, default_headers=headers, max_retries=1)
        check_citation(client.messages.create(**messages_request("cites")))
        with client.messages.stream(**messages_request("cites")) as stream:
            pieces = list(stream.text_stream)
            check_citation(stream.get_final_message())
            check("pieces", "".join(pieces), "Grüße. Source 0 says so. ")
        for reason, model in [
            ("refusal", "refuses"),
            ("max_tokens", "cut"),
            ("model_context_window_exceeded", "full"),
            ("pause_turn", "pauses"),
            ("stop_sequence", "stops"),
        ]:
            check(model, client.messages.create(**messages_request(model)).stop_reason, reason)
            with client.messages.stream(**messages_request(model)) as stream:
                check(model, stream.get_final_message().stop_reason, reason)
        message_calls(client)
        messages_failures(client)


def message_calls(client):
    message = client.messages.create(**messages_request("calls", tools=TOOLS))
    check("input", message.content[1].input, {"words": 'cat "ö"', "limit": 3})
    with client.messages.stream(**messages_request("calls", tools=TOOLS)) as stream:
        message = stream.get_final_message()
    check("streamed input", message.content[1].input, {"words": 'cat "ö"', "limit": 3})
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [SOURCE]}
    turns = [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": [block.model_dump(include={"type", "id", "name", "input"}) for block in message.content[1:]]},
        {"role": "user", "content": [result]},
    ]
    check_citation(client.messages.create(model="cites", max_tokens=50, messages=turns))


def messages_failures(client):
    def create(model, **more):
        return lambda: client.messages.create(**messages_request(model, **more))

    error = raised("overloaded", anthropic.APIStatusError, create("overloaded"))
    check("status", error.status_code, 529)
    error = raised("spent", anthropic.RateLimitError, create("spent"))
    check("code", error.body["error"]["details"]["error_code"], "enforced_spend_limit_reached")

    def stream():
        with client.messages.stream(**messages_request("breaks")) as events:
            events.get_final_message()

    raised("error inside a stream", anthropic.APIError, stream)
    wrong = client.with_options(api_key="another")
    raised("key", anthropic.AuthenticationError, lambda: wrong.messages.create(**messages_request("cites")))


def sampling(url):
    for version, allowed in [("2023-06-01", True), ("2026-10-21", False)]:
        client = anthropic.Anthropic(base_url=url, api_key=KEY, default_headers={"anthropic-version": version})

        def create():
            return client.messages.create(**messages_request("cites"), extra_body={"temperature": 1.0})

        if allowed:
            check_citation(create())
        else:
            raised("temperature", anthropic.BadRequestError, create)


def chat_completions(client):
    turns = [{"role": "user", "content": "Who?"}]

    def whole(model):
        return client.chat.completions.create(model=model, messages=turns).choices[0]

    def stream(model):
        request = {"model": model, "messages": turns, "stream": True, "stream_options": {"include_usage": True}}
        return list(client.chat.completions.create(**request))

    check("whole", whole("m").message.content, "Grüße, 1 messages.")
    chunks = stream("m")
    deltas = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    check("streamed", "".join(deltas), "Grüße, 1 messages.")
    check("usage", chunks[-1].usage.total_tokens, 13)
    for model, reason in [("cut", "length"), ("filtered", "content_filter"), ("calls", "tool_calls")]:
        check(model, whole(model).finish_reason, reason)
        check(model, [c.finish_reason for chunk in stream(model) for c in chunk.choices][-1], reason)
    check("refusal", whole("refuses").message.refusal, "I cannot help with that.")
    check("call", whole("calls").message.tool_calls[1].function.arguments, '{"words":"dog"}')
    with client.chat.completions.stream(model="calls", messages=turns) as events:
        calls = events.get_final_completion().choices[0].message.tool_calls
    check("streamed call", calls[1].function.arguments, '{"words":"dog"}')
    raised("blocked", openai.BadRequestError, lambda: whole("blocked"))
    check("spent", raised("spent", openai.RateLimitError, lambda: whole("spent")).code, "insufficient_quota")
    raised("loading", openai.InternalServerError, lambda: whole("loading"))
    raised("error inside a stream", openai.APIError, lambda: stream("breaks"))


def embeddings(client):
    for form in [{}, {"encoding_format": "float"}, {"encoding_format": "base64"}]:
        reply = client.embeddings.create(model="m", input=["a", "bb"], **form)
        data = sorted(reply.data, key=lambda item: item.index)
        if form.get("encoding_format") != "base64":
            check("vectors", [list(item.embedding)[:2] for item in data], [[1.0, 1.0], [2.0, 1.0]])
    short = client.embeddings.create(model="m", input="abc", dimensions=2).data[0].embedding
    check("dimensions", list(short), [3.0, 1.0])


def main():
    url = sys.argv[1]
    messages_api(url)
    sampling(url)
    clients = [
        openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=1),
        openai.AzureOpenAI(azure_endpoint=url, azure_deployment="dep", api_version="2024-10-21", api_key=KEY, max_retries=1),
    ]
    for client in clients:
        chat_completions(client)
        embeddings(client)
    wrong = clients[0].with_options(api_key="another")
    raised("key", openai.AuthenticationError, lambda: wrong.embeddings.create(model="m", input="a"))
    print(f"{checks} checks passed: anthropic {anthropic.__version__}, openai {openai.__version__}")


if __name__ == "__main__":
    main()
