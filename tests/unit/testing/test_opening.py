import pytest

from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.assistants.model import ModelAssistant
from turnsure.scenarios.assistants.webhook import WebhookAssistant
from turnsure.scenarios.users.scripted import ScriptedUser
from turnsure.scenarios.users.simulated import SimulatedUser
from turnsure.testing.opening import (
    BEARER_VARIABLE,
    Opener,
    Told,
    given_assistant,
    is_model,
    open_assistant,
    open_judge,
    open_user,
)


@pytest.fixture
def opener():
    return Opener(lambda spec: ScriptedBackend(lambda _: "hm", name=spec.model))


def opened(name, opener, **told):
    return open_assistant(
        name, RunSpec(model="openai:x", base_url="http://h"), opener, Told(**told)
    )


def test_a_name_is_a_function_an_address_or_a_model(opener, monkeypatch):
    monkeypatch.setenv(BEARER_VARIABLE, "s3cret")
    assert opened("turnsure.scenarios.examples:right", opener).name.endswith(":right")
    hook = opened("https://bot.example/turn", opener)
    assert isinstance(hook, WebhookAssistant)
    assert "s3cret" not in str(hook.fingerprint)
    assert isinstance(opened("openai:x", opener), ModelAssistant)
    assert is_model("local:a.gguf")
    assert not is_model("bot:reply")


@pytest.mark.parametrize("name", ["", "bot", "my bot:reply", "bot.reply"])
def test_another_name_says_which_forms_there_are(name, opener):
    with pytest.raises(InputError, match="module:function"):
        opened(name, opener)


def test_a_model_is_told_what_a_file_says(opener, tmp_path):
    file = tmp_path / "system.txt"
    file.write_text("You find flats.")
    made = opened("openai:x", opener, system=file, temperature=0.2)
    assert (made.system, made.temperature) == ("You find flats.", 0.2)
    with pytest.raises(InputError, match="cannot be read"):
        opened("openai:x", opener, system=tmp_path / "none.txt")


def test_equal_models_are_opened_once(opener):
    spec = RunSpec(model="openai:x", base_url="http://h")
    user = open_user("openai:x", spec, opener, None)
    judge = open_judge(spec, opener, None)
    assert isinstance(user, SimulatedUser)
    assert user.backend is judge.backend
    assert open_judge(RunSpec(model="openai:y"), opener, None).backend is not judge.backend
    assert isinstance(open_user("scripted", spec, opener, None), ScriptedUser)


def test_in_code_an_assistant_is_given_as_it_is(opener):
    def reply(messages):
        return "hm"

    class Bot:
        def __call__(self, messages):
            return "hm"

    assert given_assistant(reply).name.endswith("reply")
    assert given_assistant(Bot).name.endswith("Bot")
    assert given_assistant(Bot()).name.endswith("Bot")
    assert given_assistant("turnsure.scenarios.examples:right").name.endswith(":right")
    made = opened("openai:x", opener)
    assert given_assistant(made) is made
    for wrong in (7, "openai:x", "nonsense"):
        with pytest.raises(InputError):
            given_assistant(wrong)
