"""A GPT that learns to write from the characters of a small book, examples/gpt.txt.

python examples/gpt.py                                      some seconds: loss goes down, a sample
python examples/gpt.py train --steps 1000 --checkpoint gpt.safetensors --plot loss.png
python examples/gpt.py train --steps 2000 --checkpoint gpt.safetensors      goes on from there
python examples/gpt.py generate --checkpoint gpt.safetensors --prompt "A buffer" --tokens 300
python examples/gpt.py load --weights model.safetensors --prompt "464 3290" --tokens 20   GPT-2's

Learning rate, batch and dropout of a step are functions of its number. So a run that was stopped
and goes on from its checkpoint has the same bits as one that was not.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

from line_plot import line_plot, png
from tqdm import tqdm

import onebuf
from onebuf import nn, optim

BOOK = Path(__file__).with_name("gpt.txt")
WARM_UP = 30
"""Steps until the learning rate is highest; after, it falls with the root of the steps."""


# -- the model -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sizes:
    """How large a model is."""

    tokens: int
    """How many different tokens there are."""
    length: int = 64
    """How many of them the model sees at once."""
    layers: int = 2
    width: int = 64
    heads: int = 4
    dropout: float = 0.0


class Block(nn.Module):
    """Attention to what came before, then a small network for each position.

    Both add to what they are given, so that a deep model is as easy to train as a flat one.
    """

    def __init__(self, sizes: Sizes) -> None:
        self.ln_1 = nn.LayerNorm(sizes.width)
        self.attn = nn.CausalSelfAttention(sizes.width, sizes.heads, dropout=sizes.dropout)
        self.ln_2 = nn.LayerNorm(sizes.width)
        self.mlp = nn.MLP(
            sizes.width, dropout=sizes.dropout, activation=partial(nn.gelu, approximate="tanh")
        )

    def forward(self, x: nn.Tensor, cache: nn.KeyCache | None = None) -> nn.Tensor:
        """``x`` with what attention and the network add to it."""
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Tokens to the logits of the token after each; names and shapes are GPT-2's."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.wte = nn.Embedding(sizes.tokens, sizes.width)
        self.wpe = nn.Embedding(sizes.length, sizes.width)
        self.h = [Block(sizes) for _ in range(sizes.layers)]
        self.ln_f = nn.LayerNorm(sizes.width)
        self.initialise()

    def initialise(self) -> None:
        """Start as GPT-2 does: small weights, smaller ones where the layers add up."""
        for name, tensor in self.named_parameters():
            if name.endswith(".bias"):
                tensor.data[...] = 0.0
            elif "ln_" not in name:
                std = 0.02 / sqrt(2 * self.sizes.layers) if "c_proj" in name else 0.02
                tensor.data[...] = onebuf.random.normal(0.0, std, tensor.shape, dtype="float32")

    def forward(self, tokens: Any, caches: Sequence[nn.KeyCache] = ()) -> nn.Tensor:
        """Logits of shape (batch, length, tokens); with caches, ``tokens`` come after theirs."""
        length = tokens.shape[1]
        if caches:
            places = self.wpe(onebuf.arange(length) + caches[0].position)
        else:
            places = self.wpe.weight[:length]
        x = self.wte(tokens) + places
        for number, block in enumerate(self.h):
            x = block(x, caches[number] if caches else None)
        return nn.linear(self.ln_f(x), self.wte.weight)

    def new_caches(self, batch: int = 1) -> list[nn.KeyCache]:
        """An empty cache for every layer."""
        return [block.attn.new_cache(batch, self.sizes.length) for block in self.h]


# -- training --------------------------------------------------------------------------------------


def loss_of(model: GPT, inputs: Any, targets: Any) -> nn.Tensor:
    """How unlikely the model finds the targets, in nats a token."""
    logits = model(inputs)
    return nn.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))


def training_step(model: GPT, optimizer: optim.Optimizer, dtype: str = "float32") -> Any:
    """A function of inputs and targets that makes one step, and gives the loss before it.

    Forward and backward pass, clipping and the optimiser are captured together and planned as one.
    """
    precision = nullcontext if dtype == "float32" else partial(nn.autocast, dtype)

    @onebuf.jit
    def step(inputs: onebuf.Buffer, targets: onebuf.Buffer) -> onebuf.Buffer:
        with precision():
            loss = loss_of(model, inputs, targets)
        loss.backward()
        optim.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.data

    return step


@dataclass(frozen=True)
class Settings:
    """What a run depends on, besides its text and device."""

    length: int = 64
    layers: int = 2
    width: int = 64
    heads: int = 4
    dropout: float = 0.0
    batch: int = 16
    rate: float = 3e-3
    seed: int = 0
    dtype: str = "float32"


class Run:
    """A model on its way: what it has learned, and what its next step needs."""

    def __init__(self, settings: Settings, text: str, device: str = "CPU") -> None:
        self.settings, self.device = settings, device
        self.characters = "".join(sorted(set(text)))
        tokens = onebuf.asarray(encode(text, self.characters), dtype="uint16")
        part = len(text) * 9 // 10
        batches = partial(nn.TokenLoader, batch=settings.batch, length=settings.length)
        self.loader = batches(tokens[:part], seed=settings.seed)
        self.held_out = batches(tokens[part:], seed=settings.seed)
        onebuf.random.seed(settings.seed)
        self.model = new_model(settings, len(self.characters)).to(device)
        self.optimizer = optim.AdamW(self.model.parameters(), settings.rate, betas=(0.9, 0.99))
        self.step = training_step(self.model, self.optimizer, settings.dtype)
        self.losses: list[float] = []

    def train(self, steps: int) -> None:
        """Go on until there were ``steps`` steps."""
        todo = range(len(self.losses), steps)
        # On a terminal alone: a file has no use for a bar.
        with tqdm(todo, initial=todo.start, total=steps, disable=None, file=sys.stdout) as bar:
            for number in bar:
                self.optimizer.lr = self.settings.rate * min(
                    (number + 1) / WARM_UP, sqrt(WARM_UP / (number + 1))
                )
                onebuf.random.seed([self.settings.seed, number])
                inputs, targets = self.loader.batch_at(number)
                loss = self.step(inputs.to_device(self.device), targets.to_device(self.device))
                self.losses.append(loss.item())
                bar.set_postfix(loss=f"{self.losses[-1]:.3f}")

    def held_out_loss(self, batches: int = 4) -> float:
        """The mean loss of batches from the part of the text that is not trained on."""
        self.model.eval()
        losses = []
        with nn.no_grad():
            for number in range(batches):
                pair = [part.to_device(self.device) for part in self.held_out.batch_at(number)]
                losses.append(loss_of(self.model, *pair).item())
        self.model.train()
        return sum(losses) / batches

    def save(self, path: Path) -> None:
        """Write all of it to one file, or leave the file that was there."""
        state = {"losses": onebuf.asarray(self.losses, dtype="float64")}
        for part in ("model", "optimizer"):
            for name, buffer in getattr(self, part).state_dict().items():
                state[f"{part}.{name}"] = buffer.to_device("CPU")
        settings = json.dumps(asdict(self.settings))
        onebuf.save(path, state, metadata={"settings": settings, "characters": self.characters})

    def load(self, path: Path) -> None:
        """Go on from where the run was that wrote ``path``."""
        with onebuf.open(path) as file:
            if file.metadata["characters"] != self.characters:
                raise SystemExit(f"{path} was trained on another text than {BOOK}")
            for part in ("model", "optimizer"):
                getattr(self, part).load_state_dict(below(file, part))
            self.losses = file["losses"].tolist()


def new_model(settings: Settings, tokens: int) -> GPT:
    """A model of the sizes among ``settings``."""
    names = {field.name for field in fields(Sizes)} - {"tokens"}
    return GPT(Sizes(tokens, **{name: getattr(settings, name) for name in names}))


def below(file: Any, part: str) -> dict[str, onebuf.Buffer]:
    """The buffers of a file whose names begin with ``part``, without it."""
    return {name.removeprefix(f"{part}."): file[name] for name in file if name.startswith(part)}


def encode(text: str, characters: str) -> list[int]:
    """Characters as numbers."""
    unknown = sorted(set(text) - set(characters))
    if unknown:
        raise SystemExit(f"the model knows no {unknown[0]!r}; it has learned {characters!r}")
    return [characters.index(character) for character in text]


# -- sampling --------------------------------------------------------------------------------------


def generate(
    model: GPT, prompt: Sequence[int], count: int, temperature: float = 1.0, seed: int = 0
) -> Iterator[int]:
    """``count`` tokens that follow ``prompt``, each drawn by the chance the model gives it.

    Keys and values of earlier tokens are kept, so that a token costs one position and not all.
    Once there is no room, the newer half of them is computed again, and the older is forgotten.
    The model needs to be on the CPU, where elements can be written by index.
    """
    length = model.sizes.length
    model.eval()
    caches = model.new_caches()
    numbers = onebuf.random.default_rng(seed)

    @onebuf.jit
    def following(tokens: onebuf.Buffer) -> onebuf.Buffer:
        with nn.no_grad():
            return model(tokens, caches)[0, -1].data

    seen, new, room = list(prompt), list(prompt)[-length:], length
    for _ in range(count):
        if len(new) > room:
            for cache in caches:
                cache.reset()
            new, room = seen[-max(1, length // 2) :], length
        room -= len(new)
        logits = following(onebuf.asarray([new])).astype("float64")
        if temperature:
            # The largest of logits with Gumbel's noise is a draw by their softmax.
            logits = logits / temperature + numbers.gumbel(size=logits.shape)
        new = [int(logits.argmax())]
        seen += new
        yield new[0]


# -- GPT-2's weights -------------------------------------------------------------------------------

TRANSPOSED = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
"""GPT-2 has these as (in, out), and a linear layer as (out, in)."""


def load_gpt2(path: Path, heads: int | None = None) -> GPT:
    """A model with the weights of a .safetensors file that has GPT-2's names.

    The file does not say how many heads there are; in GPT-2 of all sizes they are 64 wide.
    """
    file = onebuf.open(path)
    state = {name.removeprefix("transformer."): file[name] for name in file}
    tokens, width = state["wte.weight"].shape
    layers = sum(name.endswith(".ln_1.weight") for name in state)
    length = state["wpe.weight"].shape[0]
    model = GPT(Sizes(tokens, length, layers, width, heads or max(1, width // 64)))
    named = {}
    for name in model.state_dict():
        if name not in state:
            raise SystemExit(f"{path} has no {name}, which GPT-2 has")
        named[name] = state[name].T if name.endswith(TRANSPOSED) else state[name]
    model.load_state_dict(named)
    return model


# -- the command line ------------------------------------------------------------------------------


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command")
    train = commands.add_parser("train", help="train on the book")
    train.add_argument("--steps", type=int, default=500, help="of the whole run")
    train.add_argument("--device", default="CPU")
    train.add_argument("--checkpoint", type=Path, help="a .safetensors file: continued, written")
    train.add_argument("--plot", type=Path, help="a PNG file for the curve of the loss")
    for field in fields(Settings):
        told = f"{field.default} unless told"
        train.add_argument(f"--{field.name}", type=type(field.default), help=told)
    write = commands.add_parser("generate", help="write what a trained model finds likely")
    write.add_argument("--checkpoint", type=Path, required=True)
    load = commands.add_parser("load", help="generate with GPT-2's weights, in numbers of tokens")
    load.add_argument("--weights", type=Path, required=True, help="a .safetensors file")
    load.add_argument("--heads", type=int, help="of attention, a 64th of the width unless told")
    for command, prompt in ((write, "A buffer "), (load, "464")):
        command.add_argument("--prompt", default=prompt)
        command.add_argument("--tokens", type=int, default=200)
        command.add_argument("--temperature", type=float, default=0.8, help="0: the likeliest")
        command.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def train(options: argparse.Namespace) -> Run:
    """Train, from the checkpoint if there is one."""
    names = [field.name for field in fields(Settings)]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    path = options.checkpoint
    text = BOOK.read_text(encoding="utf-8")
    if path is not None and path.exists():
        settings = saved_settings(path)
        for name, value in given.items():
            if getattr(settings, name) != value:
                raise SystemExit(
                    f"{path} has {name}={getattr(settings, name)}, got --{name} {value}; leave "
                    f"that out, or name another checkpoint"
                )
        run = Run(settings, text, options.device)
        run.load(path)
    else:
        run = Run(Settings(**given), text, options.device)
    begun = len(run.losses)
    run.train(options.steps)
    for number in sorted({begun, len(run.losses) - 1} & {*range(len(run.losses))}):
        print(f"step {number + 1}: loss {run.losses[number]:.3f}")
    print(f"on text that it was not trained on: {run.held_out_loss():.3f}")
    if path is not None:
        run.save(path)
    if options.plot is not None:
        options.plot.write_bytes(png(line_plot(run.losses)))
    return run


def saved_settings(path: Path) -> Settings:
    """The settings of the run that wrote a checkpoint."""
    with onebuf.open(path) as file:
        return Settings(**json.loads(file.metadata["settings"]))


def write(options: argparse.Namespace) -> None:
    """Print what a trained model writes after the prompt, as it comes."""
    with onebuf.open(options.checkpoint) as file:
        characters = file.metadata["characters"]
        model = new_model(saved_settings(options.checkpoint), len(characters))
        model.load_state_dict(below(file, "model"))
    prompt = encode(options.prompt, characters)
    print(options.prompt, end="")
    for token in generate(model, prompt, options.tokens, options.temperature, options.seed):
        print(characters[token], end="", flush=True)
    print()


def load(options: argparse.Namespace) -> None:
    """Print the numbers of tokens that GPT-2's weights give after the prompt."""
    model = load_gpt2(options.weights, options.heads)
    prompt = [int(number) for number in options.prompt.split()]
    found = generate(model, prompt, options.tokens, options.temperature, options.seed)
    print(*prompt, *found)


def show(_: argparse.Namespace) -> None:
    """A short run: the loss goes down, and words begin to look like words."""
    run = train(parsed(["train", "--steps", "60", "--length", "32", "--batch", "8"]))
    found = generate(run.model, encode("A buffer ", run.characters), 120, temperature=0.7)
    print("A buffer " + "".join(run.characters[token] for token in found))


def main(arguments: Sequence[str]) -> None:
    """Do what the command line says."""
    options = parsed(arguments)
    commands = {"train": train, "generate": write, "load": load, None: show}
    commands[options.command](options)


if __name__ == "__main__":
    main(sys.argv[1:])
