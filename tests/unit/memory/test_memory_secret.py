"""What is taken for a secret and what is not. The samples are put together here, so that no scanner reports them."""

import time

import pytest

from actors.memory.secret import PATTERNS, assigns_secret, entropy_bits, secret_in

DRAWN = "k7Qz2Vw9Xb4Lm6Tn8Rp3Yc5Hd1Jf0Gs"
SECRETS = {
    "AWS access key": ["AKIA" + "IOSFODNN7EXAMPLQ", "the key is ASIA" + "Z7N4Q2LK6WJ3B5XT."],
    "private key block": ["-----BEGIN " + "PRIVATE KEY-----", "-----BEGIN OPENSSH " + "PRIVATE KEY-----"],
    "JSON web token": ["eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTYifQ" + ".c2lnbmF0dXJlMTIz"],
    "GitHub token": ["ghp_" + "a1B2" * 9, "github_pat_" + "11ABCDE0A0abcdefghijkl_mn"],
    "GitLab token": ["glpat-" + "a1B2c3D4e5F6g7H8i9J0"],
    "Slack token": [
        "xoxb-" + "123456789012-abcdefABCDEF",
        "https://hooks.slack.com/services/" + "T0AB/B0CD/a1B2c3D4e5F6g7H8",
    ],
    "Google key": ["AIza" + "Sy" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q", "ya29." + "a0AfB_byC1234567890abcd"],
    "Stripe key": ["sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"],
    "npm token": ["npm_" + "a1B2" * 9],
    "PyPI token": ["pypi-" + "AgEIcHlwaS5vcmcC" + "a1B2c3D4" * 4],
    "model provider's key": ["sk-ant-" + "api03-a1B2c3D4e5F6g7H8", "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0"],
    "SendGrid key": ["SG." + "a1B2c3D4e5F6g7H8i9" + "." + "j0K1l2M3n4O5p6Q7r8"],
    "connection string with a password": [
        "postgres://ada:" + "horse" + "@db.example/x",
        "redis://:" + "hunter" + "@cache:6379",
    ],
    "authorization header": [
        "Authorization: Bearer " + "a1b2c3d4e5f6g7h8",
        '"authorization": "Basic ' + 'YWRhOmhvcnNlMTIz"',
    ],
    "password assignment": [
        "password = '" + "swordfish'",
        "DB_PASSWORD=" + "swordfish",
        "the admin password is " + "hunter2!x",
        "password=" + "hunter2",
        "log in with passwd: " + "Summer2024.",
        "(pwd=" + "s3cr3t)",
        "the password is `" + "4dmin1`",
        'api_key: "' + 'q7w8e9-r1t2y3"',
        "settings['client_secret'] = '" + "q7w8e9-r1t2y3'",
    ],
    "text with high entropy": [DRAWN, "it is " + DRAWN.lower() + "9", "blob " + "Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg"],
}


def test_every_pattern_has_samples():
    assert set(SECRETS) == set(PATTERNS)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SECRETS.items() for text in texts])
def test_a_secret_is_found_and_named(name, text):
    assert secret_in(text) == name
    assert secret_in(f"remember that {text}") == name


@pytest.mark.parametrize(
    "text",
    [
        "the token is refreshed every hour by session.py",
        "password: str | None = None",
        "password = getpass()",
        "password = os.environ['DB_PASSWORD']",
        "token=settings.token, api_key=None",
        "connect(user=user1, password=password2)",
        "password=value1, other=2",
        "the password is sha256 of the name",
        "password: argon2id",
        "pwd=auth[2]",
        "password=arg0",
        "password=user_input2",
        "password=swordfish",
        "token=token2, secret=part3",
        "the password is 8 characters long",
        "PASSWORD=$DB_PASSWORD",
        "api_key: <your key>",
        "secret = 'changeme'",
        "max_tokens = 200000",
        "postgresql://user:password@localhost/db",
        "postgresql://user:${PASSWORD}@localhost/db",
        "postgresql://localhost:5432/db",
        "Authorization: Bearer <token>",
        "fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256 8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "sha512-Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg9Xb4Lm6Tn8Rp3Yc5Hd1Jf0Gs==",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "TestThatTheHTTP2ServerAnswers404ErrorsTwice",
        "tests/unit/coordinator/test_reading_by_what_was_learned_2.py::test_an_edit_of_lines_that_were_not_shown",
        "see draft-fielding-uri-rfc2396bis-03",
        "npm_config_registry is set by the installer",
        "the scanner knows AKIA keys and ghp_ tokens",
        "sk-learn-compatible-estimators-only",
        "-----BEGIN CERTIFICATE-----",
        "",
    ],
)
def test_what_is_no_secret_is_let_through(text):
    assert secret_in(text) == ""


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("db.password", "swordfish", True),
        ("api_key", "q7w8e9-r1t2y3", True),
        ("db.password", "in the vault of the team", False),
        ("db.password", "ops/vault/db", False),
        ("max_tokens", "200000", False),
        ("token", "o200k", False),
        ("base_url", "q7w8e9-r1t2y3", False),
    ],
)
def test_the_name_says_whether_a_value_is_one(name, value, is_secret):
    assert assigns_secret(name, value) is is_secret


def test_entropy_is_counted_in_bits_a_character():
    assert entropy_bits("aaaa") == 0.0
    assert entropy_bits("abab") == 1.0
    assert entropy_bits("abcd") == 2.0


@pytest.mark.parametrize("text", ["a." * 490 + "password", "password" + ".a-" * 330, "a.password." * 90])
def test_a_long_name_is_gone_through_in_time_with_its_length(text):
    started_s = time.process_time()
    for _ in range(20):
        secret_in(text)
    assert time.process_time() - started_s < 0.4, "20 texts; a look at every dot anew takes 2 s"
