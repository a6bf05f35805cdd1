"""What kernels of whole arrays compute: transpose, sum, softmax, matrix product; and what their mistakes look like.

In the value of a mistake NaN stands for an element that is not written, or read from where there is nothing.
"""

import math

import torch

from .tasks import Task, Tensors

TILES = (8, 16, 32, 64)
BLOCKS = (32, 64, 128, 256, 512, 1024)


def _generator(seed: int, *sizes: int) -> torch.Generator:
    return torch.Generator().manual_seed(hash((seed, *sizes)) % (1 << 40))


def _reals(shape, generator, dtype) -> torch.Tensor:
    """Values in 1 to 3, with either sign; three of four are positive."""
    size, sign = torch.rand(2, *shape, generator=generator)
    return (1 + 2 * size).copysign(sign - 0.25).to(dtype)


def _integers(shape, generator, dtype, most: int) -> torch.Tensor:
    """Whole numbers in -most to most without 0."""
    size = torch.randint(1, most + 1, shape, generator=generator)
    return (size * (2 * torch.randint(0, 2, shape, generator=generator) - 1)).to(dtype)


def _whole(**inputs) -> bool:
    """Whether all values are small whole numbers, whose sums float32 holds exactly in whatever order."""
    return all(((x == x.round()) & (x.abs() < 1 << 13)).all() for x in inputs.values())


def _gathered(values: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """``values.flatten()[index]``, NaN where the index is outside."""
    flat = torch.cat([values.flatten(), values.new_full((1,), torch.nan)])
    return flat[torch.where((index >= 0) & (index < values.numel()), index, values.numel())]


def _scattered(values: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """``flat[index] = values`` in as many elements, NaN in those that nothing reaches."""
    flat = values.new_full((values.numel() + 1,), torch.nan)
    flat[torch.where((index >= 0) & (index < values.numel()), index, values.numel()).flatten()] = values.flatten()
    return flat[:-1]


def _narrowed(name: str, value: torch.Tensor):
    for kind, dtype in (("half precision", torch.float16), ("bfloat16", torch.bfloat16)):
        yield name, "lost-precision", f"Digits are lost: {name} passes through {kind}.", value.to(dtype)
    yield name, "lost-fraction", "The fraction is lost: a value passes through an integer.", value.trunc()


# --- transpose: out[j, i] = a[i, j]


def _transpose_inputs(rows: int, n: int, seed: int, dtype: torch.dtype) -> Tensors:
    return {"a": _reals((rows, n), _generator(seed, rows, n), dtype)}


def _transpose_special(dtype: torch.dtype):
    values = torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 2.0**-149, -(2.0**-126), 3e38], dtype=dtype)
    yield (37, 41), {"a": values[torch.randint(len(values), (37, 41), generator=_generator(0))]}


def _transpose_mistakes(a):
    rows, n = a.shape
    shape, i, j = (n, rows), torch.arange(rows)[:, None], torch.arange(n)
    yield "out", "copied", "out holds a as it is: nothing is transposed.", a.reshape(shape)
    for tile in TILES:
        if rows % tile or n % tile:
            continue
        tiles = a.view(rows // tile, tile, n // tile, tile)
        turned = tiles.permute(2, 1, 0, 3).reshape(shape)
        sentence = "Each tile is where it belongs, but is not turned itself: rows and columns are swapped in one of "
        sentence += f"the two accesses to the tile, or in neither (tiles of {tile} x {tile})."
        yield "out", "tile-not-turned", sentence, turned
        first = a[:tile, :tile].t().repeat(n // tile, rows // tile)
        yield "out", "first-tile-repeated", "Every tile is the first one: the loads lack blockIdx.", first
        if rows == n and n > tile:
            sentence = "Each tile is turned, but written where it was read: rows and columns of the blocks are swapped "
            sentence += "in the store."
            yield "out", "tiles-not-moved", sentence, tiles.permute(0, 3, 2, 1).reshape(shape)
    if rows != n:
        sentence = "The store takes rows of out to be n elements long: out has n rows of `rows` elements."
        yield "out", "row-length", sentence, _scattered(a, j * n + i).view(shape)
        sentence = "The load takes rows of a to be `rows` elements long: they have n."
        yield "out", "row-length", sentence, _gathered(a, i * rows + j).t()
    yield "out", "reversed", "The rows of a are in reverse order.", a.flip(0).t()
    yield "out", "reversed", "The columns of a are in reverse order.", a.flip(1).t()
    yield "out", "negated", "The signs are wrong.", -a.t()
    yield from _narrowed("out", a.t())


TRANSPOSE = Task(
    "the transpose of a",
    _transpose_inputs,
    _transpose_special,
    lambda a: {"out": a.t()},
    _transpose_mistakes,
    sizes=2,
    shapes=lambda rows, n: {"out": (n, rows)},
)


# --- reduce: out[0] = the sum of a


def _reduce_inputs(n: int, seed: int, dtype: torch.dtype) -> Tensors:
    """First whole numbers, whose sum is exact; then others."""
    generator = _generator(seed, n)
    return {"a": _reals((n,), generator, dtype) if seed else _integers((n,), generator, dtype, 4095)}


def _reduce_special(dtype: torch.dtype):
    for values in ([math.inf], [math.nan], [math.inf, -math.inf], [1e38, -1e38], [3e38], [0.0], [2.0**-140]):
        a = torch.zeros(300, dtype=dtype)
        a[torch.arange(len(values)) * 150 + 77] = torch.tensor(values, dtype=dtype)
        yield (300,), {"a": a}


def _reduce_mistakes(a):
    a, n = a.double(), len(a)
    i, total = torch.arange(n), a.sum()

    def found(name, sentence, value):
        return "out", name, sentence, torch.as_tensor(value, dtype=torch.float64).view(1)

    if n > 1:
        yield found("one-element", "out is a[0]: nothing is added to it.", a[0])
    for most in (16, 8, 4, 2, 1):
        if n > most:
            sentence = f"Only the first {most} lanes of each warp are added up: the shuffles must begin with an "
            sentence += "offset of 16."
            yield found("lanes-missing", sentence, a[i % 32 < most].sum())
            yield found("lanes-missing", sentence, a[(i < most)].sum())
    for block in BLOCKS:
        if block > 32 and n > 32:
            sentence = f"Of each block of {block} only the first warp is in the sum: the other warps' sums are lost."
            yield found("other-warps-missing", sentence, a[i % block < 32].sum())
            sentence = f"Of each block of {block} only the last warp is in the sum."
            yield found("other-warps-missing", sentence, a[i % block >= block - 32].sum())
        if n > block:
            for start in {0, (n - 1) // block * block, *range(0, min(n, 64 * block), block)}:
                sentence = f"out is the sum of one block's {block} elements: blocks overwrite it, and must add to it."
                yield found("block-overwrites", sentence, a[start : start + block].sum())
            if n % block:
                sentence = f"The last {n % block} elements are missing in the sum: the grid is rounded down."
                yield found("tail-missing", sentence, a[: n // block * block].sum())
                last = a[n - n % block :].sum()
                sentence = f"The last {n % block} elements are not right in the sum, those of the last block."
                yield found("tail-missing", sentence, total - last + a[n - n % block :][: n % block // 32 * 32].sum())
        for blocks in (1, 1024, 4096):
            if n > block * blocks:
                sentence = f"Only the first {block * blocks} elements are in the sum: one for each thread of the grid."
                yield found("no-stride", sentence, a[: block * blocks].sum())
    for times in range(2, 1025):
        sentence = f"out is {times} times the sum: the same sum is added by {times} threads."
        yield found("added-more-than-once", sentence, times * total)
    if n > 1:
        yield found("averaged", "out is the mean: the sum is divided by n.", total / n)
    yield found("absolute-value", "The signs are lost.", a.abs().sum())
    yield found("squared", "out is the sum of the squares.", a.square().sum())
    yield found("negated", "The sign is wrong.", -total)
    yield found("maximum", "out is the largest element, not the sum.", a.max() if n else 0)
    yield found("lost-fraction", "The fractions are lost: elements pass through an integer.", a.trunc().sum())


REDUCE = Task(
    "the sum of a",
    _reduce_inputs,
    _reduce_special,
    lambda a: {"out": a.sum().view(1)},
    _reduce_mistakes,
    lambda a: {"out": a.abs().sum().view(1)},
    shapes=lambda n: {"out": (1,)},
    exact=_whole,
)


# --- softmax: exp(x) / the sum of exp(x), for each row


def _softmax_inputs(rows: int, n: int, seed: int, dtype: torch.dtype) -> Tensors:
    """Values in -4 to 4; each row has an offset of its own."""
    x, offset = (torch.rand(shape, generator=_generator(seed, rows, n)) for shape in ((rows, n), (rows, 1)))
    return {"x": (8 * x - 4 + 6 * offset).to(dtype)}


def _softmax_special(dtype: torch.dtype):
    x = _reals((9, 300), _generator(0), torch.float32).to(dtype)
    x[0] += 990
    x[1] -= 990
    x[2, 77] = 1e30
    x[3, ::2] = -math.inf
    x[4, :299] = -math.inf
    x[5] = -math.inf
    x[6, 150] = math.nan
    x[7] = 3e38
    for row in x:
        yield (1, 300), {"x": row[None].clone()}


def _exponentials(x):
    return (x - x.amax(1, keepdim=True)).exp() if x.numel() else x


def _softmax_mistakes(x):
    rows, n = x.shape
    if not x.numel():
        return
    wide = x.double()
    e, out = _exponentials(wide), torch.softmax(wide, 1)
    naive, zero = x.exp(), (x - x.amax(1, keepdim=True).clamp(min=0)).exp()
    sentence = "Where all elements of a row are negative, its maximum comes out as 0: it must start at -infinity."
    yield "out", "maximum-starts-at-zero", sentence, zero / zero.sum(1, keepdim=True)
    sentence = "exp(x) overflows, or is zero for all elements: the maximum of the row is not subtracted."
    yield "out", "maximum-not-subtracted", sentence, naive / naive.sum(1, keepdim=True)
    yield "out", "not-divided", "out is exp(x - max): it is not divided by the sum.", e
    yield "out", "not-divided", "out is exp(x): it is not divided by the sum.", wide.exp()
    yield "out", "columns-for-rows", "Each column adds up to 1, not each row.", torch.softmax(wide, 0)
    yield "out", "rows-mixed", "All elements together add up to 1, not those of each row.", torch.softmax(
        wide.flatten(), 0
    ).view_as(wide)
    sentence = "Every row is the first one: the loads do not use the row."
    yield "out", "first-row-repeated", sentence, out[:1].expand(rows, n)
    yield "out", "no-exponential", "out is x over the sum of x: there is no exponential.", wide / wide.sum(
        1, keepdim=True
    )
    yield "out", "logarithm", "out is the logarithm of the softmax.", out.log()
    yield "out", "other-base", "out is made of powers of 2, not of e.", torch.softmax(wide * math.log(2), 1)
    yield "out", "copied", "out is x.", wide
    yield "out", "maximum-only", "out is x - max: there is no exponential.", wide - wide.amax(1, keepdim=True)
    i = torch.arange(n)
    for block in BLOCKS:
        if n > block:
            sentence = f"The sum has the first {block} elements of the row only: a thread must take every "
            sentence += "blockDim.x-th element until n."
            yield "out", "no-stride", sentence, e / e[:, :block].sum(1, keepdim=True)
            if n % block:
                full = n // block * block
                sentence = f"The last {n % block} elements of each row are missing in the sum."
                yield "out", "tail-missing", sentence, e / e[:, :full].sum(1, keepdim=True)
        if n % block and rows > 1:
            first = torch.arange(rows)[:, None] * n + torch.arange(-(-n // block) * block)
            beyond = (_gathered(wide, first) - wide.amax(1, keepdim=True)).exp().nan_to_num()
            sentence = "The sum of a row has elements of the next one: a row ends at n."
            yield "out", "row-end-ignored", sentence, e / beyond.sum(1, keepdim=True)
        for part, what in ((i % block < 32, "first warp"), (i % block % 32 == 0, "first lane of each warp")):
            if n > 1 and not part.all():
                sentence = f"Only the elements of the {what} are in the sum (blocks of {block})."
                yield "out", "partial-sum", sentence, e / e[:, part].sum(1, keepdim=True)
        if n > 32:
            own = torch.stack([e[:, i % block // 32 == w].sum(1) for w in range(block // 32)], 1)
            sentence = "Each warp divides by the sum of its own elements: the warps' sums must be put together."
            yield "out", "warp-for-row", sentence, e / own[:, i % block // 32]
            own = torch.stack([wide[:, i % block // 32 == w].amax(1) for w in range(min(block, n) // 32)], 1)
            own = (wide - own[:, (i % block // 32).clamp(max=own.shape[1] - 1)]).exp()
            sentence = "Each warp subtracts the maximum of its own elements: the warps' maxima must be put together."
            yield "out", "warp-for-row", sentence, own / own.sum(1, keepdim=True)
        own = torch.stack([e[:, i % block == t].sum(1) for t in range(block)], 1)
        sentence = "Each thread divides by the sum of its own elements."
        yield "out", "thread-for-row", sentence, e / own[:, i % block]


SOFTMAX = Task(
    "the softmax of each row of x",
    _softmax_inputs,
    _softmax_special,
    lambda x: {"out": torch.softmax(x, 1)},
    _softmax_mistakes,
    lambda x: {"out": torch.softmax(x, 1) * (1 + (x - x.amax(1, keepdim=True)).abs()).nan_to_num() + 2.0**-126}
    if x.numel()
    else {"out": x},
    sizes=2,
    shapes=lambda rows, n: {"out": (rows, n)},
)


# --- matmul: c = a @ b


def _matmul_inputs(m: int, n: int, k: int, seed: int, dtype: torch.dtype) -> Tensors:
    """First whole numbers, whose products add up exactly; then others."""
    generator = _generator(seed, m, n, k)
    if seed:
        return {"a": _reals((m, k), generator, dtype), "b": _reals((k, n), generator, dtype)}
    return {"a": _integers((m, k), generator, dtype, 30), "b": _integers((k, n), generator, dtype, 30)}


def _matmul_special(dtype: torch.dtype):
    generator = _generator(0)
    a, b = _reals((37, 39), generator, dtype), _reals((39, 41), generator, dtype)
    yield (37, 41, 39), {"a": a * 1e18, "b": b * 1e18}
    for value in (math.inf, math.nan):
        spoilt = a.clone()
        spoilt[3, 38] = spoilt[36, 0] = value
        yield (37, 41, 39), {"a": spoilt, "b": b}
        spoilt = b.clone()
        spoilt[38, 3] = spoilt[0, 40] = value
        yield (37, 41, 39), {"a": a, "b": spoilt}


def _matmul_mistakes(a, b):
    a, b = a.double(), b.double()
    (m, k), n = a.shape, b.shape[1]
    if not a.numel() or not b.numel():
        return
    c = a @ b
    yield "c", "transposed", "c holds the transpose of the product.", c.t().reshape(m, n)
    sentence = "b is read with rows and columns swapped."
    yield "c", "b-transposed", sentence, a @ b.reshape(n, k).t()
    sentence = "a is read with rows and columns swapped."
    yield "c", "a-transposed", sentence, a.reshape(k, m).t() @ b
    if m == n == k:
        yield "c", "operands-swapped", "c is b @ a.", b @ a
        yield "c", "elementwise", "c is the product element by element.", a * b
    sentence = "The load takes rows of a to have another length than k."
    for length in {m, n} - {k}:
        other = _gathered(a, torch.arange(m)[:, None] * length + torch.arange(k))
        yield "c", "row-length", sentence, other @ b
    sentence = "The load takes rows of b to have another length than n."
    for length in {m, k} - {n}:
        other = _gathered(b, torch.arange(k)[:, None] * length + torch.arange(n))
        yield "c", "row-length", sentence, a @ other
    for tile in TILES:
        yield from _tile_mistakes(a, b, c, tile)
    yield from _exchanged(c)
    yield "c", "negated", "The sign is wrong.", -c


def _exchanged(c):
    """Of threads that compute several elements: those that lie apart for those that lie side by side."""
    m, n = c.shape
    for tile, each in ((32, 2), (32, 4), (64, 4), (64, 8), (128, 8)):
        if m % tile or n % tile:
            continue
        apart = torch.arange(tile).view(tile // each, each).t().flatten()
        for order in (apart, apart.argsort()):
            rows, columns = (torch.arange(s // tile)[:, None] * tile + order for s in (m, n))
            for value in (c[rows.flatten()], c[:, columns.flatten()], c[rows.flatten()][:, columns.flatten()]):
                sentence = "The elements of c are right, but lie in the places of others of their tile: what a thread "
                sentence += "computes is not what it stores."
                yield "c", "elements-exchanged", sentence, value


def _tile_mistakes(a, b, c, tile: int):
    """Of products that are computed in tiles of k."""
    (m, k), n = a.shape, b.shape[1]
    if k <= tile:
        return
    steps = -(-k // tile)
    last = (steps - 1) * tile
    if k % tile:
        sentence = f"The last {k % tile} of k = {k} products are missing in each sum: the number of tiles must be "
        sentence += "rounded up."
        yield "c", "last-tile-of-k-missing", sentence, a[:, :last] @ b[:last]
    sentence = f"Each element has the products of the first tile of {tile} only."
    yield "c", "first-tile-of-k-only", sentence, a[:, :tile] @ b[:tile]
    sentence = "Each element has the products of the last tile only: the sum starts again with each tile."
    yield "c", "sum-restarted", sentence, a[:, last:] @ b[last:]
    if k % tile:
        return
    a_tiles, b_tiles = a.view(m, steps, tile), b.view(steps, tile, n)
    sentence = "The same tiles are multiplied again and again: the loads do not go on along k."
    yield "c", "tiles-do-not-advance", sentence, steps * (a_tiles[:, 0] @ b_tiles[0])
    yield "c", "tiles-do-not-advance", "The loads of b stay at its first tile.", a_tiles.sum(1) @ b_tiles[0]
    yield "c", "tiles-do-not-advance", "The loads of a stay at its first tile.", a_tiles[:, 0] @ b_tiles.sum(0)
    if m % tile or n % tile:
        return
    sentence = "The tile of {} is used with its rows and columns swapped."
    a_turned = a.view(m // tile, tile, steps, tile).transpose(1, 3).reshape(m, k)
    b_turned = b.view(steps, tile, n // tile, tile).transpose(1, 3).reshape(k, n)
    yield "c", "tile-turned", sentence.format("a"), a_turned @ b
    yield "c", "tile-turned", sentence.format("b"), a @ b_turned
    yield "c", "tile-turned", "The tiles of a and b are used with their rows and columns swapped.", a_turned @ b_turned
    sentence = "Every tile of c is the first one: the loads lack blockIdx."
    yield "c", "first-tile-repeated", sentence, c[:tile, :tile].repeat(m // tile, n // tile)


MATMUL = Task(
    "a @ b",
    _matmul_inputs,
    _matmul_special,
    lambda a, b: {"c": a @ b},
    _matmul_mistakes,
    lambda a, b: {"c": a.abs() @ b.abs()},
    sizes=3,
    shapes=lambda m, n, k: {"c": (m, n)},
    exact=_whole,
)
