from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from endpoints import Answer, Endpoint, Json, answering, chat, message

from lamina.errors import LLMError, MissingPackageError, SettingsError
from lamina.llms.anthropic import AnthropicLLM
from lamina.llms.openai import OpenAILLM
from lamina.ports.llm import LLM, Completion
from lamina.registry import lookup
from lamina.text.tokens import count_tokens

pytest.importorskip("openai", reason="the openai package is not installed")
pytest.importorskip("anthropic", reason="the anthropic package is not installed")

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
NOW = {"Retry-After": "0"}
KINDS: dict[str, tuple[Callable[..., LLM], str, Callable[..., Json]]] = {
    "openai": (OpenAILLM, "/v1", chat),
    "anthropic": (AnthropicLLM, "", message),
}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://elsewhere.invalid/from-the-environment")
    with answering(lambda _: (500, {}, NOW)) as server:
        yield server


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, endpoint: Endpoint) -> str:
    good = KINDS[request.param][2]
    endpoint.otherwise = lambda _: (200, good("good"), {})
    return str(request.param)


@pytest.fixture
def llm(kind: str, endpoint: Endpoint) -> Iterator[LLM]:
    make, base, _ = KINDS[kind]
    made = make(endpoint.url(base), "m", api_key="sk-secret")
    yield made
    made.close()


@pytest.fixture
def gpt(endpoint: Endpoint) -> Iterator[OpenAILLM]:
    endpoint.otherwise = lambda _: (200, chat("good"), {})
    made = OpenAILLM(endpoint.url("/v1"), "m", api_key="sk-secret")
    yield made
    made.close()


def refusal(words: str, status: int = 400) -> Answer:
    return status, {"error": {"message": words, "type": "invalid_request_error"}}, NOW


def taking(*forms: str) -> Callable[[Json], Answer]:
    """An endpoint that takes these forms of answer and refuses the others."""

    def answer(asked: Json) -> Answer:
        form = form_of(asked)
        if form in forms:
            return 200, (message if "system" in asked else chat)(form), {}
        return refusal(f"this form ({form}) is not available here")

    return answer


def form_of(asked: Json) -> str:
    given = asked.get("response_format") or asked.get("output_config", {}).get("format") or {}
    return str(given.get("type", "prompt"))


def forms(endpoint: Endpoint) -> list[str]:
    return [form_of(body) for _, _, body in endpoint.asked]


def test_a_completion_is_the_text_and_what_it_cost(llm: LLM) -> None:
    assert llm.name == "m"
    assert llm.complete("s", "u", max_tokens=9) == Completion("good", 11, 7)


def test_openai_is_asked_in_its_way(endpoint: Endpoint, gpt: OpenAILLM) -> None:
    gpt.complete("be brief", "你好", schema=SCHEMA, max_tokens=9)
    ((path, key, body),) = endpoint.asked
    assert (path, key) == ("/v1/chat/completions", "Bearer sk-secret")
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "你好"},
        ],
        "max_tokens": 9,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_anthropic_is_asked_in_its_way(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda _: (200, message("good"), {})
    claude = AnthropicLLM(endpoint.url(""), "m", api_key="sk-secret")
    claude.complete("be brief", "你好", schema=SCHEMA, max_tokens=9)
    claude.close()
    ((path, key, body),) = endpoint.asked
    assert (path, key.removeprefix("Bearer ")) == ("/v1/messages", "sk-secret")
    assert body == {
        "model": "m",
        "system": "be brief",
        "messages": [{"role": "user", "content": "你好"}],
        "max_tokens": 9,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


@pytest.mark.parametrize("base", ["/v1", "/api/paas/v4/", ""])
def test_the_base_url_is_used_as_given(base: str, endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda _: (200, chat("good"), {})
    made = OpenAILLM(endpoint.url(base), "m")
    made.complete("s", "u", max_tokens=9)
    made.close()
    assert endpoint.asked[0][0] == f"{base.rstrip('/')}/chat/completions"


def test_no_form_is_asked_for_without_a_schema(endpoint: Endpoint, llm: LLM) -> None:
    llm.complete("s", "u", max_tokens=9)
    assert forms(endpoint) == ["prompt"]


@pytest.mark.parametrize(
    ("taken", "first", "then"),
    [
        (("json_schema", "json_object", "prompt"), ["json_schema"], ["json_schema"]),
        (("json_object", "prompt"), ["json_schema", "json_object"], ["json_object"]),
        (("prompt",), ["json_schema", "json_object", "prompt"], ["prompt"]),
    ],
)
def test_a_form_that_is_refused_is_not_asked_for_again(
    taken: tuple[str, ...],
    first: list[str],
    then: list[str],
    endpoint: Endpoint,
    gpt: OpenAILLM,
) -> None:
    endpoint.otherwise = taking(*taken)
    assert gpt.complete("s", "u", schema=SCHEMA, max_tokens=9).text == first[-1]
    assert gpt.complete("s", "u", schema=SCHEMA, max_tokens=9).text == then[0]
    assert forms(endpoint) == [*first, *then]


def test_anthropics_way_knows_two_forms(endpoint: Endpoint) -> None:
    endpoint.otherwise = taking("prompt")
    claude = AnthropicLLM(endpoint.url(""), "m", api_key="k")
    for _ in range(2):
        assert claude.complete("s", "u", schema=SCHEMA, max_tokens=9).text == "prompt"
    claude.close()
    assert forms(endpoint) == ["json_schema", "prompt", "prompt"]


def test_a_server_that_breaks_over_a_schema_is_asked_without_one(
    endpoint: Endpoint, gpt: OpenAILLM
) -> None:
    def broken(asked: Json) -> Answer:
        if form_of(asked) == "json_schema":
            return refusal("failed to compile the grammar", 500)
        return 200, chat("good"), {}

    endpoint.otherwise = broken
    assert gpt.complete("s", "u", schema=SCHEMA, max_tokens=9).text == "good"


def test_a_prompt_that_is_refused_in_every_form_changes_nothing(
    endpoint: Endpoint, llm: LLM
) -> None:
    endpoint.script = [refusal("the prompt is too long")] * 3
    if isinstance(llm, AnthropicLLM):
        endpoint.script.pop()
    with pytest.raises(LLMError, match=r"too long.*llm_model"):
        llm.complete("s", "u", schema=SCHEMA, max_tokens=9)
    before = len(endpoint.asked)
    llm.complete("s", "u", schema=SCHEMA, max_tokens=9)
    assert forms(endpoint)[before:] == ["json_schema"]


def test_the_other_name_of_the_limit_is_used_where_it_is_asked_for_and_remembered(
    endpoint: Endpoint, gpt: OpenAILLM
) -> None:
    def modern(asked: Json) -> Answer:
        if "max_tokens" in asked:
            return refusal("'max_tokens' is not supported; use 'max_completion_tokens' instead")
        return 200, chat("good"), {}

    endpoint.otherwise = modern
    for _ in range(2):
        assert gpt.complete("s", "u", schema=SCHEMA, max_tokens=9).text == "good"
    assert forms(endpoint) == ["json_schema"] * 3
    assert [body.get("max_completion_tokens") for _, _, body in endpoint.asked] == [None, 9, 9]


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_endpoint_is_asked_three_times_and_no_more(
    status: int, endpoint: Endpoint, llm: LLM
) -> None:
    endpoint.otherwise = lambda _: refusal("come back later", status)
    with pytest.raises(LLMError, match="come back later"):
        llm.complete("s", "u", schema=SCHEMA, max_tokens=9)
    assert len(endpoint.asked) == 3


def test_an_endpoint_that_was_busy_answers_in_the_end(endpoint: Endpoint, llm: LLM) -> None:
    endpoint.script = [refusal("busy", 503), refusal("busy", 429)]
    assert llm.complete("s", "u", max_tokens=9).text == "good"


@pytest.mark.parametrize(
    ("status", "setting"),
    [(401, "llm_key"), (402, "llm_key"), (403, "llm_key"), (404, "llm_url and llm_model")],
)
def test_what_no_retry_mends_fails_at_once_and_names_the_setting(
    status: int, setting: str, endpoint: Endpoint, llm: LLM
) -> None:
    endpoint.script = [refusal("no: sk-secret", status)]
    with pytest.raises(LLMError, match=setting) as raised:
        llm.complete("s", "u", schema=SCHEMA, max_tokens=9)
    assert len(endpoint.asked) == 1
    assert "sk-secret" not in str(raised.value)


NONSENSE: dict[str, Json | bytes] = {
    "an error with status 200": {"error": {"message": "no such model"}},
    "no choices": {"choices": []},
    "null choices": {"choices": None, "content": None},
    "a choice of text": {"choices": ["x"], "content": ["x"]},
    "content that is a number": {"choices": [{"message": {"content": 7}}], "content": 7},
    "a list": b"[1, 2]",
    "a text": b'"hello"',
    "a page": b"<!doctype html><title>Sign in</title>",
    "nothing": b"",
    "much nesting": b"[" * 100_000,
    "bytes of no encoding": b"\xff\xfe\xfd",
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_an_error_that_names_the_endpoint(
    answer: Json | bytes, endpoint: Endpoint, llm: LLM
) -> None:
    endpoint.script = [(200, answer, {})]
    with pytest.raises(LLMError, match=r"127\.0\.0\.1"):
        llm.complete("s", "u", max_tokens=9)
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}], "yes"),
        ([], ""),
    ],
)
def test_what_a_message_says_is_read_in_every_shape(
    content: Any, text: str, endpoint: Endpoint, gpt: OpenAILLM
) -> None:
    endpoint.script = [(200, chat(content), {})]
    assert gpt.complete("s", "u", max_tokens=9).text == text


def test_anthropics_thoughts_are_no_part_of_the_text(endpoint: Endpoint) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "text", "text": "one "},
        {"type": "text", "text": "two"},
    ]
    endpoint.script = [(200, message("", content=blocks), {})]
    claude = AnthropicLLM(endpoint.url(""), "m", api_key="k")
    assert claude.complete("s", "u", max_tokens=9).text == "one two"
    claude.close()


def test_tokens_are_estimated_where_the_endpoint_counts_none(
    endpoint: Endpoint, gpt: OpenAILLM
) -> None:
    endpoint.script = [(200, chat("seven words are what it says here", usage=None), {})]
    done = gpt.complete("be brief", "say something", max_tokens=9)
    assert done.input_tokens == count_tokens("be brief") + count_tokens("say something")
    assert done.output_tokens == count_tokens(done.text)


def test_an_endpoint_that_does_not_answer_in_time_is_an_error(endpoint: Endpoint) -> None:
    over = threading.Event()

    def late(_: Json) -> Answer:
        over.wait(30)
        return 200, chat("late"), {}

    endpoint.otherwise = late
    made = OpenAILLM(endpoint.url("/v1"), "m", timeout=0.05)
    with pytest.raises(LLMError, match=r"timed out.*llm_url"):
        made.complete("s", "u", max_tokens=9)
    over.set()
    made.close()
    assert len(endpoint.asked) == 3


def test_an_endpoint_that_is_not_there_is_an_error_that_names_it(
    kind: str, endpoint: Endpoint
) -> None:
    url = endpoint.url("/v1")
    endpoint.server_close()
    made = KINDS[kind][0](url, "m", api_key="k")
    with pytest.raises(LLMError, match=r"127\.0\.0\.1.*llm_url"):
        made.complete("s", "u", max_tokens=9)
    made.close()


def test_keys_of_the_environment_are_never_sent(kind: str, endpoint: Endpoint) -> None:
    make, base, _ = KINDS[kind]
    made = make(endpoint.url(base), "m")
    made.complete("s", "u", max_tokens=9)
    made.close()
    assert "environment" not in endpoint.asked[0][1]


@pytest.mark.parametrize("make", [OpenAILLM, AnthropicLLM])
@pytest.mark.parametrize(
    ("url", "model", "key", "setting"),
    [
        ("api.openai.com/v1", "m", "k", "llm_url"),
        ("ftp://host/v1", "m", "k", "llm_url"),
        ("http://[::1", "m", "k", "llm_url"),
        ("http://host:port/v1", "m", "k", "llm_url"),
        ("https://host/v1", "", "k", "llm_model"),
        ("https://host/v1", "m", "k\n", "llm_key"),
        ("https://host/v1", "m", "密钥", "llm_key"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(
    make: Callable[..., LLM], url: str, model: str, key: str, setting: str
) -> None:
    with pytest.raises(SettingsError, match=setting):
        make(url, model, api_key=key)


def test_only_openai_needs_an_address() -> None:
    AnthropicLLM("", "m").close()
    with pytest.raises(SettingsError, match="llm_url"):
        OpenAILLM("", "m")


def test_a_password_in_the_url_is_in_no_error(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda _: refusal("no", 404)
    made = OpenAILLM(endpoint.url("/v1").replace("//", "//me:hunter2@"), "m")
    with pytest.raises(LLMError) as raised:
        made.complete("s", "u", max_tokens=9)
    made.close()
    assert "hunter2" not in str(raised.value)


def test_a_lone_surrogate_is_sent_as_the_mark_for_it(endpoint: Endpoint, llm: LLM) -> None:
    llm.complete("s", "a \ud83d b", max_tokens=9)
    assert endpoint.asked[0][2]["messages"][-1]["content"] == "a \ufffd b"


def test_threads_may_share_one(endpoint: Endpoint, gpt: OpenAILLM) -> None:
    endpoint.otherwise = lambda asked: (200, chat(asked["messages"][1]["content"]), {})
    with ThreadPoolExecutor(8) as pool:
        texts = pool.map(lambda i: gpt.complete("s", f"u{i}", max_tokens=9).text, range(32))
        assert list(texts) == [f"u{i}" for i in range(32)]


def test_it_can_be_used_after_close_and_closed_twice(llm: LLM) -> None:
    llm.complete("s", "u", max_tokens=9)
    llm.close()
    llm.close()
    assert llm.complete("s", "u", max_tokens=9).text == "good"


@pytest.mark.parametrize("name", KINDS)
def test_without_the_package_the_line_for_pip_is_said(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = lookup("llms", name)("http://127.0.0.1:9/v1", "m")
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackageError, match=rf"pip install 'lamina\[{name}\]'"):
        made.complete("s", "u", max_tokens=9)


def test_importing_and_making_one_does_not_load_the_sdks() -> None:
    code = (
        "import sys; from lamina.registry import lookup;"
        "[lookup('llms', n)('http://host/v1', 'm') for n in ('openai', 'anthropic')];"
        "sys.exit('openai' in sys.modules or 'anthropic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_model_of_another_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="anthropic, openai"):
        lookup("llms", "gemini")
