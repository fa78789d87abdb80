"""Kernels that do only what cannot be avoided, as LLVM IR.

A *stream* kernel reads some vectors and writes some others in each step, in order, with aligned
loads and stores; its stores are plain, or non-temporal (past the cache, without reading what they
overwrite). The *multiply* kernel does nothing but independent multiply-adds in registers.
"""

from __future__ import annotations

from fractions import Fraction

ACCUMULATORS = 12
"""Independent chains of multiply-adds: more than latency times issue width of any CPU of today."""
UNROLL = 8
"""Vectors that one step of a stream moves, about."""


def stream_ir(name: str, reads: int, writes: int, nontemporal: bool, width: int) -> str:
    """A kernel ``(source, target, steps, sink)`` that moves so many vectors a step.

    What is read is added up, and either written or, if nothing is written, put in ``sink``.
    """
    vector, size = f"<{width} x float>", width * 4
    chains = min(reads, 4) or 1
    zero = "zeroinitializer"
    lines = [
        f"define void @{name}(ptr %source, ptr %target, i64 %steps, ptr %sink) #0 {{",
        "entry:\n  br label %loop\nloop:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
    ]
    lines += [f"  %s{k} = phi {vector} [ {zero}, %entry ], [ %t{k}, %loop ]" for k in range(chains)]
    lines += [
        f"  %in = mul i64 %i, {reads * size}\n  %from = getelementptr i8, ptr %source, i64 %in",
        f"  %out = mul i64 %i, {writes * size}\n  %to = getelementptr i8, ptr %target, i64 %out",
    ]
    sums = [f"%s{k}" for k in range(chains)]
    for r in range(reads):
        lines.append(f"  %p{r} = getelementptr i8, ptr %from, i64 {r * size}")
        lines.append(f"  %v{r} = load {vector}, ptr %p{r}, align {size}")
    hint = ", !nontemporal !0" if nontemporal else ""
    share = max(reads // writes, 1) if writes else reads
    for w in range(writes):
        # Every vector read goes into some vector written: nothing can be left out.
        own = range(w * share, min((w + 1) * share, reads) if w + 1 < writes else reads)
        total = f"%v{own[0]}" if len(own) else f"%v{w % reads}" if reads else "%s0"
        for r in own[1:]:
            lines.append(f"  %w{w}x{r} = fadd {vector} {total}, %v{r}")
            total = f"%w{w}x{r}"
        lines.append(f"  %q{w} = getelementptr i8, ptr %to, i64 {w * size}")
        lines.append(f"  store {vector} {total}, ptr %q{w}, align {size}{hint}")
    if not writes:
        for r in range(reads):
            lines.append(f"  %a{r} = fadd {vector} {sums[r % chains]}, %v{r}")
            sums[r % chains] = f"%a{r}"
    lines += [f"  %t{k} = fadd {vector} {sums[k]}, {zero}" for k in range(chains)]
    lines += [
        "  %next = add i64 %i, 1\n  %more = icmp ult i64 %next, %steps",
        "  br i1 %more, label %loop, label %done\ndone:",
    ]
    for k in range(chains):
        lines.append(f"  %z{k} = getelementptr i8, ptr %sink, i64 {k * size}")
        lines.append(f"  store {vector} %t{k}, ptr %z{k}, align 4")
    return "\n".join([*lines, "  fence seq_cst\n  ret void\n}"])


def multiply_ir(width: int) -> str:
    """A kernel ``(steps, sink)``: in each step, one multiply-add in every accumulator."""
    vector, chains = f"<{width} x float>", range(ACCUMULATORS)
    call = f"call {vector} @llvm.fmuladd.v{width}f32"
    lines = [
        f"declare {vector} @llvm.fmuladd.v{width}f32({vector}, {vector}, {vector})",
        "define void @multiply(i64 %steps, ptr %sink) #0 {\nentry:",
        f"  %x = load {vector}, ptr %sink, align 4\n  br label %loop\nloop:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *(f"  %s{k} = phi {vector} [ %x, %entry ], [ %t{k}, %loop ]" for k in chains),
        *(f"  %t{k} = {call}({vector} %s{k}, {vector} %x, {vector} %x)" for k in chains),
        "  %next = add i64 %i, 1\n  %more = icmp ult i64 %next, %steps",
        "  br i1 %more, label %loop, label %done\ndone:",
    ]
    for k in chains:
        lines.append(f"  %z{k} = getelementptr i8, ptr %sink, i64 {k * width * 4}")
        lines.append(f"  store {vector} %t{k}, ptr %z{k}, align 4")
    return "\n".join([*lines, "  ret void\n}"])


def steps_of(read: int, written: int, size: int) -> tuple[int, int, int]:
    """Vectors to read and to write in a step, and steps, for so many bytes and ``size`` a vector.

    Of a mask's 50 bytes read and 20 written, 5 vectors and 2; of a sum, vectors read alone.

    >>> steps_of(5000, 2000, 10)
    (5, 2, 100)
    >>> steps_of(10_000, 16, 10)
    (8, 0, 125)
    """
    reads, writes = UNROLL, 0
    if written * 64 >= read:
        ratio = Fraction(read, written).limit_denominator(UNROLL)
        whole = max(1, UNROLL // max(ratio.numerator, ratio.denominator))
        reads, writes = ratio.numerator * whole, ratio.denominator * whole
    return reads, writes, max(1, round((read + written) / ((reads + writes) * size)))
