import pytest

from lamina.text.redact import mask

SECRETS = {
    "my password: hunter2secret": "password",
    "key sk-abcdefghijklmnop1234": "api_key",
    "token ghp_abcdefghijklmnopqrstuv12": "token",
    "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----": "private_key",
    "card 4111 1111 1111 1234 5": "",
    "card 4111 1111 1111 1111": "card",
    "card 4444 4444 4444 4444": "",
    "api_key=sk-abcdefghijklmnop1234": "api_key",
    "secret: [hunter2secret]": "",
}


@pytest.mark.parametrize("text", SECRETS)
def test_a_mark_is_no_secret_to_be_masked_again(text: str) -> None:
    kind = SECRETS[text]
    once = mask(text)
    assert dict(once.counts) == ({kind: 1} if kind else {})
    assert once.text.count("[secret:") == len(once.counts)
    again = mask(once.text)
    assert (again.text, dict(again.counts)) == (once.text, {})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("我的卡号是4012 8888 8888 1881，记一下", "card"),
        ("这张4012888888881881是公司的卡", "card"),
        ("我的password is hunter2secret", "password"),
        ("请求头用Bearer abcdef0123456789abcdef", "token"),
    ],
)
def test_a_secret_glued_to_chinese_is_masked(text: str, kind: str) -> None:
    assert dict(mask(text).counts) == {kind: 1}
