"""One table: the public problems of class_b.toml × the operators of csrc.

``CHECKS`` has a function for each problem; class_b_operators.py an entry for each operator, which is all that a new
operator needs. test_class_b.py runs them; ``outcomes()`` gives the table as data.
"""

import gc
import tomllib
import weakref
from pathlib import Path

import pytest
import torch
from class_b_operators import OPERATORS, Operator

import cudabook
from cudabook import cuda

ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


class NotHere(Exception):
    """This machine lacks what the check needs; the message says what."""


class Case:
    """An operator on a target."""

    def __init__(self, operator: Operator, target: str):
        self.operator, self.versions = operator, operator.versions
        self.loaded = cudabook.load(operator.name, target)
        self.device = self.loaded.device
        schema = getattr(self.loaded, operator.name).default._schema
        self.names = [a.name for a in schema.arguments if str(a.type) == "Tensor"]

    def inputs(self, shape, dtype=torch.float32, device=None, grad=False):
        made = self.operator.inputs(tuple(shape), dtype=dtype, device=device or self.device)
        return [t.detach().requires_grad_(grad) for t in made]

    def call(self, tensors, version=None):
        return self.operator.call(self.loaded, tensors, version or self.versions[-1])

    def function(self, version):
        return lambda *tensors: self.call(tensors, version)

    def agrees(self, tensors, version=None, incoming=torch.randn_like):
        """The output and the gradients are the reference's; ``incoming(out)`` is the gradient that comes in."""
        ours = [t.detach().requires_grad_() for t in tensors]
        theirs = [t.detach().double().requires_grad_() for t in tensors]
        out, wanted = self.call(ours, version), self.operator.reference(*theirs)
        close(out, wanted, out.dtype)
        grad = incoming(out)
        for got, want in zip(torch.autograd.grad(out, ours, grad), torch.autograd.grad(wanted, theirs, grad.double()),
                             strict=True):
            close(got, want, out.dtype)


def close(actual, wanted, dtype):
    """Equal within the rounding of a dtype, for the largest of the wanted values."""
    assert actual.dtype == dtype and actual.shape == wanted.shape
    largest = max(1.0, wanted.abs().max().item()) if wanted.numel() else 1.0
    torch.testing.assert_close(actual.double(), wanted.double(), rtol=0, atol=TOLERANCE[dtype] * largest)


def refused(call, error, *words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def expanded_gradient(case):  # B01
    rows, n = 64, 6
    for version in case.versions:
        for incoming in (
            lambda out: out.new_ones(()).expand(out.shape),
            lambda out: out.new_full((), 1 / out.numel()).expand(out.shape),
            lambda out: torch.randn(n, device=out.device).expand(out.shape),
            lambda out: torch.randn(rows, 1, device=out.device).expand(out.shape),
            lambda out: torch.randn(n, rows, device=out.device).t(),
        ):
            case.agrees(case.inputs((rows, n)), version, incoming)


def permuted_input(case):  # B03
    dense = case.inputs((2, 4, 5, 3))
    for i, (name, tensor) in enumerate(zip(case.names, dense, strict=True)):
        if tensor.dim() == 1:
            odd = tensor.repeat_interleave(2)[::2]
        else:
            odd = tensor.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
        assert torch.equal(odd, tensor) and not odd.is_contiguous()
        refused(lambda i=i, odd=odd: case.call([*dense[:i], odd, *dense[i + 1 :]]), ValueError, name, "contiguous")


def second_gpu(case):  # B05
    if torch.cuda.device_count() < 2:
        raise NotHere("needs two GPUs")
    tensors = case.inputs((5, 7), device="cuda:1")
    case.agrees(tensors)
    assert torch.cuda.current_device() == 0
    if len(tensors) > 1:
        refused(lambda: case.call([*tensors[:-1], tensors[-1].to("cuda:0")]), ValueError, case.names[-1], "cuda:0")


def empty_input(case):  # B06
    for version in case.versions:
        for shape in ((0, 7168), (5, 0, 3), (0, 2), (0,)):
            case.agrees(case.inputs(shape), version)
    assert (torch.ones(3, device=case.device) + 1).sum().item() == 6


def beyond_32_bits(case):  # B07
    shape = (4_194_305, 512)  # 2^31 + 512 elements
    for version in case.versions:
        tensors = case.inputs(shape, torch.float16, grad=True)
        out = case.call(tensors, version)
        for rows in (slice(0, 2), slice(shape[0] - 3, shape[0])):
            part = [t[rows] if t.shape == shape else t for t in tensors]
            close(out[rows], case.operator.reference(*(t.double() for t in part)), torch.float16)
        grad = torch.zeros_like(out)
        grad[-1] = 1
        last = [(t[-1] if t.shape == shape else t).detach().double().requires_grad_() for t in tensors]
        wanted = torch.autograd.grad(case.operator.reference(*last).sum(), last)
        for got, want in zip(torch.autograd.grad(out, tensors, grad), wanted, strict=True):
            close(got[-1] if got.shape == shape else got, want, torch.float16)
            assert got.dim() == 1 or not got[:-1].any()


def many_rows(case):  # B09
    for version in case.versions:
        for rows in (65_535, 65_536):
            case.agrees(case.inputs((rows, 8)), version)


def unaligned_starts(case):  # B10
    for dtype in TOLERANCE:
        for shape in ((5, 16), (3, 129)):
            dense = case.inputs(shape, dtype)
            for start in range(1, 5):
                shifted = [t.new_empty(t.numel() + 8)[start : start + t.numel()].view(t.shape).copy_(t) for t in dense]
                for version in case.versions:
                    case.agrees(shifted, version)
                    for i in range(len(dense)):
                        case.agrees([*dense[:i], shifted[i], *dense[i + 1 :]], version)


def side_stream(case):  # B11
    big = torch.randn(4096, 4096, device="cuda")
    sources = [case.inputs((4096, 1024)) for _ in range(20)]
    tensors = [torch.zeros_like(t, requires_grad=True) for t in sources[0]]
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    for version in case.versions:
        for source in sources:
            with torch.cuda.stream(stream):
                _ = big @ big  # whoever does not wait for it reads what the tensors held before
                with torch.no_grad():
                    for t, new in zip(tensors, source, strict=True):
                        t.copy_(new)
                out = case.call(tensors, version)
                grads = torch.autograd.grad(out, tensors, torch.ones_like(out))
            stream.synchronize()
            theirs = [t.double().requires_grad_() for t in source]
            wanted = case.operator.reference(*theirs)
            close(out, wanted, out.dtype)
            for got, want in zip(grads, torch.autograd.grad(wanted.sum(), theirs), strict=True):
                close(got, want, out.dtype)


def cuda_graph(case):  # B12
    for version in case.versions:
        tensors, grad = case.inputs((100, 104), grad=True), torch.randn(100, 104, device="cuda")

        def run(tensors=tensors, grad=grad, version=version):
            out = case.call(tensors, version)
            return out, *torch.autograd.grad(out, tensors, grad)

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = run()
        for _ in range(3):
            with torch.no_grad():
                for t in (*tensors, grad):
                    t.normal_()
            graph.replay()
            assert all(map(torch.equal, captured, run()))


def freed_early(case):  # B13
    maker, user = torch.cuda.Stream(), torch.cuda.Stream()
    big = torch.randn(4096, 4096, device="cuda")
    torch.cuda.synchronize()
    for _ in range(10):
        with torch.cuda.stream(maker):
            tensors = case.inputs((2048, 1024))
            wanted = case.operator.reference(*(t.double() for t in tensors))
        user.wait_stream(maker)
        with torch.cuda.stream(user):
            _ = big @ big
            out = case.call(tensors)
        for t in tensors:
            t.record_stream(user)
        with torch.cuda.stream(maker):
            like = [t.shape for t in tensors]
            del tensors, t
            _ = [torch.full(shape, torch.nan, device="cuda") for shape in like]
        torch.cuda.synchronize()
        close(out, wanted, out.dtype)


def fresh_output(case):  # B14
    for version in case.versions:
        tensors = case.inputs((9, 12))
        before = [t.clone() for t in tensors]
        first, second = case.call(tensors, version), case.call(tensors, version)
        places = {t.untyped_storage().data_ptr() for t in (*tensors, first, second)}
        assert len(places) == len(tensors) + 2
        first.fill_(0)
        assert all(map(torch.equal, tensors, before)) and second.any()


def forward_only(case):  # B16
    tensors = case.inputs((9, 12), grad=True)
    if case.device == "cuda":
        case.call(tensors)
        before = torch.cuda.memory_allocated()
        for _ in range(1000):
            case.call(tensors)
        assert torch.cuda.memory_allocated() == before
    gc.disable()
    try:
        ghosts = [weakref.ref(case.call(tensors).grad_fn) for _ in range(1000)]
        assert not any(ghost() for ghost in ghosts)  # without a cycle, nothing waits for the collector
    finally:
        gc.enable()


def second_derivatives(case):  # B17
    for version in case.versions:
        torch.autograd.gradgradcheck(case.function(version), case.inputs((3, 4), torch.float64, grad=True))


def repeatable_gradcheck(case):  # B18
    for version in case.versions:
        call = case.function(version)
        torch.autograd.gradcheck(call, case.inputs((3, 4), torch.float64, grad=True), nondet_tol=0.0)
        tensors = case.inputs((333, 65), grad=True)
        grad = torch.randn(333, 65, device=case.device)
        runs = [torch.autograd.grad(call(*tensors), tensors, grad) for _ in range(5)]
        assert all(torch.equal(a, b) for run in runs[1:] for a, b in zip(runs[0], run, strict=True))


def under_autocast(case):  # B19
    tensors = case.inputs((5, 8), grad=True)
    activation = tensors[0].to(torch.bfloat16)
    with torch.autocast(case.device, dtype=torch.bfloat16):
        if not case.operator.casts:
            assert case.call(tensors).dtype == torch.float32
            refused(lambda: case.call([activation, *tensors[1:]]), TypeError, "BFloat16", "Float")
            return
        out = case.call([activation, *tensors[1:]])
    assert out.dtype == torch.bfloat16
    theirs = [t.detach().double().requires_grad_() for t in tensors]
    wanted = case.operator.reference(*theirs)
    close(out, wanted, torch.bfloat16)
    out.sum().backward()
    wanted.sum().backward()
    for got, want in zip(tensors, theirs, strict=True):
        assert got.grad.dtype == torch.float32
        torch.testing.assert_close(got.grad.double(), want.grad, rtol=0.05, atol=0.05)


def device_without_index(case):  # B21
    there = [torch.device(case.device), case.inputs((1,))[0].device]
    case.agrees([t.to(there[i % 2]) for i, t in enumerate(case.inputs((3, 4)))])


def gradients_arrive(case):  # B22
    for version in case.versions:
        tensors = case.inputs((4, 8), grad=True)
        out = case.call(tensors, version)
        assert out.requires_grad
        out.square().sum().backward()
        assert all(t.grad is not None and t.grad.any() for t in tensors)
        case.agrees(tensors, version)


def some_gradients(case):  # B24
    everything = case.inputs((4, 8), torch.float64)
    for i in range(len(everything)):
        tensors = [t.detach().requires_grad_(i == j) for j, t in enumerate(everything)]
        theirs = [t.detach().requires_grad_(i == j) for j, t in enumerate(everything)]
        for out in (case.call(tensors), case.operator.reference(*theirs)):
            out.square().sum().backward()
        assert [t.grad is None for t in tensors] == [i != j for j in range(len(tensors))]
        close(tensors[i].grad, theirs[i].grad, torch.float64)
        # From one first derivative alone to the second ones: each output of the backward is used without the others.
        second = []
        for call in (case.function(None), case.operator.reference):
            inputs = [t.detach().requires_grad_() for t in everything]
            first = torch.autograd.grad(call(*inputs).square().sum(), inputs, create_graph=True)[i]
            second.append(torch.autograd.grad(first.square().sum(), inputs))
        for got, want in zip(*second, strict=True):
            close(got, want, torch.float64)


def dtypes(case):  # B25
    for version in case.versions:
        for dtype in TOLERANCE:
            case.agrees(case.inputs((33, 65), dtype), version)
    for dtype in (torch.int32, torch.int64, torch.bool, torch.complex64, torch.float8_e4m3fn):
        tensors = [t.to(dtype) for t in case.inputs((4, 4))]
        refused(lambda t=tensors: case.call(t), TypeError, case.names[0], "expected float32, float64, float16 or")


CHECKS = {
    "B01": expanded_gradient, "B03": permuted_input, "B05": second_gpu, "B06": empty_input, "B07": beyond_32_bits,
    "B09": many_rows, "B10": unaligned_starts, "B11": side_stream, "B12": cuda_graph, "B13": freed_early,
    "B14": fresh_output, "B16": forward_only, "B17": second_derivatives, "B18": repeatable_gradcheck,
    "B19": under_autocast, "B21": device_without_index, "B22": gradients_arrive, "B24": some_gradients, "B25": dtypes,
}


def check(row: str, operator: Operator, target: str) -> None:
    """Run one check.

    Raises:
        NotHere: it cannot run on this target or machine, or cannot touch this operator; the message says why.
    """
    if row in operator.untouched:
        raise NotHere(f"cannot touch it: {operator.untouched[row]}")
    if ROWS[row].get("gpu") and target != "cuda":
        raise NotHere("needs a GPU")
    torch.manual_seed(0)
    CHECKS[row](Case(operator, target))


def outcomes(target: str | None = None) -> list[dict]:
    """The table: for each problem what class_b.toml says, its id as 'row', and for each operator 'holds' or why not."""
    target = target or ("emulator" if cuda.problem() else "cuda")
    table = []
    for row, about in ROWS.items():
        found = {"row": row, **about}
        for operator in OPERATORS:
            try:
                check(row, operator, target)
                found[operator.name] = "holds"
            except NotHere as why:
                found[operator.name] = str(why)
            except (Exception, pytest.fail.Exception) as error:
                found[operator.name] = f"fails: {str(error).splitlines()[0]}"
        table.append(found)
    return table
