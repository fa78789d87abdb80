"""The GPT of examples/gpt.py: it learns, goes on to the bit, and generates with a key cache."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpt_example import FOLDER, SMALL, example, small_model

import onebuf
from onebuf import nn

gpt = example()
TOKENS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
TRAIN = ["--length=8", "--width=16", "--heads=2", "--batch=2", "--dropout=0.1", "--seed=5"]


def logits_of(model: Any, tokens: list[int], caches: Any = ()) -> np.ndarray[Any, Any]:
    with nn.no_grad():
        return model(onebuf.asarray([tokens]), caches).numpy()[0]  # type: ignore[no-any-return]


def run_program(*arguments: str) -> str:
    """What the program prints in a process of its own."""
    finished = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / "gpt.py"), *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


# -- training --------------------------------------------------------------------------------------


def test_the_loss_goes_down() -> None:
    run = gpt.Run(gpt.Settings(**SMALL, batch=8), gpt.BOOK.read_text())
    run.train(40)
    assert run.losses[0] == pytest.approx(np.log(len(run.characters)), abs=0.2)
    assert run.losses[-1] < run.losses[0] - 1.0
    assert run.held_out_loss() < run.losses[0] - 1.0


def test_a_step_is_captured_once() -> None:
    run = gpt.Run(gpt.Settings(**SMALL, batch=2, dropout=0.1), gpt.BOOK.read_text())
    run.train(4)
    assert (run.step.captures, run.step.replays) == (1, 3)


def test_a_captured_step_has_the_bits_of_a_plain_one() -> None:
    runs = []
    for is_captured in (True, False):
        run = gpt.Run(gpt.Settings(**SMALL, batch=2, dropout=0.1), gpt.BOOK.read_text())
        if not is_captured:
            run.step = run.step.__wrapped__
        run.train(3)
        runs.append(run)
    assert runs[0].losses == runs[1].losses
    for one, two in zip(*(run.model.parameters() for run in runs), strict=True):
        assert one.numpy().tobytes() == two.numpy().tobytes()


def test_bfloat16_learns_with_float32_weights() -> None:
    settings = gpt.Settings(**SMALL, batch=8, dtype="bfloat16")
    run = gpt.Run(settings, gpt.BOOK.read_text())
    run.train(25)
    assert run.losses[-1] < run.losses[0] - 0.5
    assert {tensor.dtype.name for tensor in run.model.parameters()} == {"float32"}


# -- checkpoints -----------------------------------------------------------------------------------


def test_a_run_in_two_processes_has_the_bits_of_one(tmp_path: Path) -> None:
    halves, whole = tmp_path / "halves.safetensors", tmp_path / "whole.safetensors"
    gpt.main(["train", "--steps=3", f"--checkpoint={halves}", *TRAIN])
    said = run_program("train", "--steps=6", f"--checkpoint={halves}")
    gpt.main(["train", "--steps=6", f"--checkpoint={whole}", *TRAIN])
    assert said.startswith("step 4: ")
    assert halves.read_bytes() == whole.read_bytes()
    with onebuf.open(whole) as file:
        assert file["losses"].shape == (6,)


def test_a_checkpoint_refuses_other_settings(tmp_path: Path) -> None:
    path = tmp_path / "gpt.safetensors"
    gpt.main(["train", "--steps=0", f"--checkpoint={path}", *TRAIN])
    with pytest.raises(SystemExit, match="has width=16, got --width 32; leave that out"):
        gpt.main(["train", "--steps=1", f"--checkpoint={path}", "--width=32"])


def test_the_plot_is_a_png(tmp_path: Path) -> None:
    path = tmp_path / "loss.png"
    gpt.main(["train", "--steps=2", f"--plot={path}", *TRAIN])
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


# -- generating ------------------------------------------------------------------------------------


def test_a_key_cache_gives_the_logits_of_the_whole_forward() -> None:
    model = small_model()
    caches = model.new_caches()
    found = [logits_of(model, TOKENS[:4], caches)]
    found += [logits_of(model, [token], caches) for token in TOKENS[4:]]
    np.testing.assert_allclose(np.concatenate(found), logits_of(model, TOKENS), atol=1e-5)


def test_the_likeliest_tokens_are_those_of_the_whole_forward() -> None:
    model = small_model()
    seen = TOKENS[:3]
    for _ in range(8):
        seen = [*seen, int(logits_of(model, seen)[-1].argmax())]
    assert list(gpt.generate(model, TOKENS[:3], 8, temperature=0)) == seen[3:]


def test_generating_goes_on_after_the_cache_is_full() -> None:
    model = small_model()
    seen = list(TOKENS)
    found = list(gpt.generate(model, TOKENS, 20, temperature=0))
    room, start = SMALL["length"] - len(TOKENS), 0
    for token in found:
        assert token == int(logits_of(model, seen[start:])[-1].argmax())
        seen.append(token)
        room -= 1
        if room < 0:
            start, room = len(seen) - SMALL["length"] // 2, SMALL["length"] // 2


def test_a_sample_depends_on_its_seed_alone() -> None:
    model = small_model()
    one, again, other = (list(gpt.generate(model, TOKENS, 12, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_the_program_generates_from_a_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gpt.safetensors"
    gpt.main(["train", "--steps=1", f"--checkpoint={path}", *TRAIN])
    capsys.readouterr()
    for _ in range(2):
        gpt.main(["generate", f"--checkpoint={path}", "--prompt=The ", "--tokens=12"])
    said = capsys.readouterr().out
    assert said[: len(said) // 2] == said[len(said) // 2 :]
    assert said.startswith("The ")
    assert len(said) == 2 * (4 + 12 + 1)


def test_an_unknown_character_is_named() -> None:
    with pytest.raises(SystemExit, match="knows no 'ß'"):
        gpt.encode("ß", "abc")


# -- GPT-2's files ---------------------------------------------------------------------------------


def write_gpt2(path: Path, model: Any, prefix: str = "") -> None:
    """A file as GPT-2's is: weights of linear layers transposed, masks of attention in it."""
    state = {}
    for name, buffer in model.state_dict().items():
        turned = name.endswith(gpt.TRANSPOSED)
        state[prefix + name] = np.ascontiguousarray(np.asarray(buffer).T if turned else buffer)
    for layer in range(model.sizes.layers):
        state[f"{prefix}h.{layer}.attn.bias"] = np.tri(16, dtype=np.float32)[None, None]
    onebuf.save(path, state)


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_weights_of_gpt2_are_loaded_by_their_names(tmp_path: Path, prefix: str) -> None:
    model, path = small_model(), tmp_path / "model.safetensors"
    write_gpt2(path, model, prefix)
    loaded = gpt.load_gpt2(path, heads=2)
    assert loaded.sizes == model.sizes
    assert logits_of(loaded, TOKENS).tobytes() == logits_of(model, TOKENS).tobytes()


def test_the_program_generates_with_weights_of_gpt2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = small_model(), tmp_path / "model.safetensors"
    write_gpt2(path, model)
    options = [f"--weights={path}", "--heads=2", "--tokens=5", "--temperature=0"]
    gpt.main(["load", "--prompt=3 1 4", *options])
    numbers = [int(number) for number in capsys.readouterr().out.split()]
    assert numbers == [3, 1, 4, *gpt.generate(model, [3, 1, 4], 5, temperature=0)]


def test_a_file_without_a_weight_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    state = dict(small_model().state_dict())
    del state["h.1.mlp.c_fc.bias"]
    onebuf.save(path, state)
    with pytest.raises(SystemExit, match=r"has no h\.1\.mlp\.c_fc\.bias"):
        gpt.load_gpt2(path, heads=2)


def test_settings_are_kept_as_json(tmp_path: Path) -> None:
    path = tmp_path / "gpt.safetensors"
    gpt.main(["train", "--steps=0", f"--checkpoint={path}", *TRAIN])
    with onebuf.open(path) as file:
        assert json.loads(file.metadata["settings"])["width"] == 16
    assert gpt.saved_settings(path).dropout == 0.1
