"""karpathy/llm.c, dev/cuda: the layers of a transformer, each in several versions. Most of them take bfloat16."""

import torch
from cases import Case, Repository, empty, integers, random
from torch.nn import functional as F

BF16 = {"dtype": torch.bfloat16}


def softmax(kernel: int, n: int, c: int, block: int):
    def make():
        x = 3 * random(n, c)
        return (kernel, empty(n, c), x, n, c, block), {1: x.double().softmax(1)}

    return make


def layernorm_parts(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor):
    x = x.double()
    mean, rstd = x.mean(-1), (x.var(-1, correction=0) + 1e-5).rsqrt()
    return (x - mean[..., None]) * rstd[..., None] * weight.double() + bias.double(), mean, rstd


def layernorm(kernel: int, b: int, t: int, c: int, block: int):
    def make():
        x, weight, bias = 2 * random(b * t, c), random(c), random(c, seed=1)
        out, mean, rstd = layernorm_parts(x, weight, bias)
        args = (kernel, empty(b * t, c), empty(b * t), empty(b * t), x, weight, bias, b, t, c, block)
        return args, {1: out, 2: mean, 3: rstd}

    return make


def gelu(kernel: int):
    def make():
        x = random(2, 4, 64, **BF16)
        return (kernel, empty(2, 4, 64, **BF16), x, 2, 4, 64, 64), {1: F.gelu(x.double(), approximate="tanh")}

    return make


def gelu_backward(kernel: int):
    def make():
        x, dout = random(2, 4, 64, **BF16), random(2, 4, 64, seed=1, **BF16)
        leaf = x.double().requires_grad_()
        F.gelu(leaf, approximate="tanh").backward(dout.double())
        return (kernel, empty(2, 4, 64, **BF16), x, dout, 2, 4, 64, 64), {1: leaf.grad}

    return make


def residual(kernel: int):
    def make():
        a, b = random(1024, **BF16), random(1024, seed=1, **BF16)
        return (kernel, empty(1024, **BF16), a, b, 1024, 64), {1: a.double() + b.double()}

    return make


def crossentropy():
    probs, targets = random(3, 5, 50).softmax(-1), integers(50, 3, 5)
    chosen = probs.double().gather(-1, targets.long()[..., None])
    return (1, empty(3, 5), probs, targets, 3, 5, 50, 32), {1: -chosen.log()[..., 0]}


def crossentropy_softmax_backward():
    logits, targets, dlosses = random(3, 5, 50), integers(50, 3, 5), random(3, 5, seed=1)
    probs = logits.softmax(-1)
    grad = (probs.double() - F.one_hot(targets.long(), 50)) * dlosses.double()[..., None]
    before = random(3, 5, 50, seed=2)  # to which the gradient is added
    return (1, before, dlosses, probs, targets, 3, 5, 50, 32), {1: before.double() + grad}


def encoder(kernel: int):
    def make():
        tokens, wte, wpe = integers(17, 2, 6), random(17, 32, **BF16), random(6, 32, seed=1, **BF16)
        out = wte.double()[tokens.long()] + wpe.double()
        return (kernel, empty(2, 6, 32, **BF16), tokens, wte, wpe, 2, 6, 32, 64), {1: out}

    return make


def encoder_backward(kernel: int):
    def make():
        tokens, dout = integers(17, 2, 6), random(2, 6, 32)
        dwte, dwpe = random(17, 32, seed=1), random(6, 32, seed=2)  # to which the gradients are added
        wanted = dwte.double().index_add(0, tokens.long().flatten(), dout.double().flatten(0, 1))
        args = (kernel, dwte, dwpe, dout, tokens, 2, 6, 32, 64)
        return args, {1: wanted, 2: dwpe.double() + dout.double().sum(0)}

    return make


def adamw(kernel: int):
    def make():
        n, t, (lr, beta1, beta2, eps, decay) = 1000, 3, (1e-2, 0.9, 0.99, 1e-8, 0.1)
        p, g, m, v = random(n), random(n, seed=1), random(n, seed=2), random(n, seed=3).square()
        m2 = beta1 * m.double() + (1 - beta1) * g.double()
        v2 = beta2 * v.double() + (1 - beta2) * g.double() ** 2
        step = (m2 / (1 - beta1**t)) / ((v2 / (1 - beta2**t)).sqrt() + eps) + decay * p.double()
        return (kernel, p, g, m, v, t, n, lr, beta1, beta2, eps, decay), {1: p.double() - lr * step, 3: m2, 4: v2}

    return make


def classifier(kernel: int):
    def make():
        b, t, v, p, block = 2, 4, 180, 192, 128
        logits, targets, dlosses = 2 * random(b * t, p), integers(v, b * t), random(b * t, seed=1)
        probs = logits.double()[:, :v].softmax(-1)
        grad = (probs - F.one_hot(targets.long(), v)) * dlosses.double()[:, None]
        dlogits = torch.zeros(b * t, p)
        loss = -probs.gather(1, targets.long()[:, None])[:, 0].log()
        args = (kernel, dlogits, empty(b * t), logits, dlosses, targets, b, t, v, p, block)
        return args, {1: F.pad(grad, (0, p - v), value=torch.nan), 2: loss}

    return make


def fused_residual(kernel: int, n: int = 8, block: int = 128):
    def make():
        c = 512
        a, b = random(n, c, **BF16), random(n, c, seed=1, **BF16)
        weight, bias = random(c, **BF16), random(c, seed=1, **BF16)
        total = a.double() + b.double()
        normed, mean, rstd = layernorm_parts(total, weight, bias)
        outputs = (empty(n, c, **BF16), empty(n, c, **BF16), empty(n, **BF16), empty(n, **BF16))
        return (kernel, *outputs, a, b, weight, bias, n, c, block), {1: total, 2: normed, 3: mean, 4: rstd}

    return make


def bias_backward(kernel: int, block: int = 256):
    def make():
        b, t, oc = 2, 24, 96
        dbias, dout = random(oc, **BF16), random(b, t, oc, seed=1, **BF16)
        return (kernel, dbias, dout, b, t, oc, block), {1: dbias.double() + dout.double().sum((0, 1))}

    return make


def layernorm_backward(kernel: int, block: int = 256):
    def make():
        b, t, c = 2, 8, 256
        x, weight = random(b * t, c, **BF16), random(c, **BF16)
        _, mean, rstd = layernorm_parts(x, weight, weight)
        mean, rstd, dout = mean.bfloat16(), rstd.bfloat16(), random(b * t, c, seed=1, **BF16)
        norm = (x.double() - mean.double()[:, None]) * rstd.double()[:, None]
        dnorm = dout.double() * weight.double()
        grad = dnorm - dnorm.mean(1, keepdim=True) - norm * (dnorm * norm).mean(1, keepdim=True)
        before = [random(*s, seed=5, **BF16) for s in ((b * t, c), (c,), (c,))]  # to which the gradients are added
        wanted = [grad * rstd.double()[:, None], (dout.double() * norm).sum(0), dout.double().sum(0)]
        args = (kernel, *before, empty(64 * (2 * c + 1)), dout, x, weight, mean, rstd, b, t, c, block)
        adds = (True, *[kernel not in (2, 6, 7)] * 2)  # these overwrite the gradients of weight and bias
        return args, {i + 1: before[i].double() * adds[i] + wanted[i] for i in range(3)}

    return make


def global_norm(kernel: int):
    def make():
        values = random(5000, **BF16)
        return (kernel, torch.zeros(1024), values, 5000, 128), {1: F.pad(
            values.double().square().sum()[None], (0, 1023), value=torch.nan)}

    return make


def causal(n: int, t: int) -> torch.Tensor:
    return torch.ones(n, t, t, dtype=torch.bool).tril()


def causal_softmax():
    n, t = 3, 20
    x = random(n, t, t)
    wanted = (0.5 * x.double()).masked_fill(~causal(n, t), -torch.inf).softmax(-1)
    return (empty(n, t, t), 0.5, x, n, t, 64), {0: wanted.masked_fill(~causal(n, t), torch.nan)}


def causal_softmax_backward(kernel: int, t: int, block: int):
    def make():
        b, c, heads = 1, 16, 2
        scale, keep = (c / heads) ** -0.5, causal(b * heads, t)
        att = random(b * heads, t, t).masked_fill(~keep, -torch.inf).softmax(-1)
        datt = random(b * heads, t, t, seed=1).masked_fill(~keep, 0)
        a, d = att.double(), datt.double()
        wanted = scale * a * (d - (a * d).sum(-1, keepdim=True))
        args = (kernel, torch.zeros(b * heads, t, t), datt, att, b, t, c, heads, block)
        return args, {1: wanted.masked_fill(~keep, torch.nan)}

    return make


def trimat(kernel: int):
    def make():
        b, t, c, heads = 1, 128, 32, 1
        x = random(b, t, 3, heads, c // heads)
        q, k = x.double()[:, :, 0].transpose(1, 2), x.double()[:, :, 1].transpose(1, 2)
        wanted = (q @ k.mT * (c / heads) ** -0.5).flatten(0, 1).masked_fill(~causal(b * heads, t), torch.nan)
        return (kernel, empty(b, heads, t, t), x, b, t, c, heads), {1: wanted.view(b, heads, t, t)}

    return make


def cases(driver: str, kernels: dict[str, object], tolerance: float = 1e-5, function: str = "run") -> list[Case]:
    return [Case(k, f"dev/cuda/{driver}.cu", driver, function, make, tolerance) for k, make in kernels.items()]


REPOSITORY = Repository("karpathy/llm.c", "f1e2ace651495b74ae22d45d1723443fd00ecd3a", [
    *cases("softmax_forward", {
        "softmax_forward_kernel1": softmax(1, 6, 100, 32),
        "softmax_forward_kernel2": softmax(2, 4, 300, 64),
        "softmax_forward_kernel3": softmax(3, 4, 100, 32),
        "softmax_forward_online_kernel1": softmax(5, 6, 100, 32),
        "softmax_forward_online_kernel2": softmax(6, 7, 100, 64),
        "softmax_forward_kernel7": softmax(7, 3, 1024, 64),
        "softmax_forward_online_kernel8": softmax(8, 7, 100, 64),
    }),
    Case("softmax_forward_kernel4", "dev/cuda/softmax_forward.cu", "softmax_forward", "run", softmax(4, 4, 300, 128),
         fault=((288,), "Thread 0 writes the sum of its warp to the element from which the other warps still read "
                        "the maximum (line 268): a barrier is missing between the two.")),
    Case("softmax_forward_kernel7 (C = 700)", "dev/cuda/softmax_forward.cu", "softmax_forward", "run",
         softmax(7, 3, 700, 64),
         fault=((500,), "Where C is no multiple of 8 blocks, threads read the last element of the row (line 495) "
                        "while its owner divides it. What they read is not used.")),
    *cases("layernorm_forward", {
        "layernorm_forward_kernel1": layernorm(1, 2, 5, 48, 32),
        "mean_kernel, rstd_kernel, normalization_kernel": layernorm(2, 2, 8, 48, 32),
        "layernorm_forward_kernel3": layernorm(3, 2, 5, 80, 64),
        "layernorm_forward_kernel4": layernorm(4, 2, 5, 80, 64),
        "layernorm_forward_kernel5": layernorm(5, 2, 5, 160, 128),
        "layernorm_forward_kernel6": layernorm(6, 2, 5, 256, 128),
    }),
    *cases("gelu_forward", {f"gelu_forward_kernel{i}": gelu(i) for i in (1, 2)}, 8e-3),
    *cases("gelu_backward", {f"gelu_backward{i}": gelu_backward(i) for i in (1, 2)}, 8e-3),
    *cases("residual_forward", {f"residual_forward_kernel{i}": residual(i) for i in (1, 2)}, 8e-3),
    *cases("crossentropy_forward", {"crossentropy_forward_kernel1": crossentropy}),
    *cases("crossentropy_softmax_backward", {"crossentropy_softmax_backward_kernel1": crossentropy_softmax_backward}),
    *cases("encoder_forward", {f"encoder_forward_kernel{i}": encoder(i) for i in (1, 2, 3)}, 8e-3),
    *cases("encoder_backward", {f"encoder_backward_kernel{i}": encoder_backward(i) for i in (1, 2)}),
    *cases("adamw", {f"adamw_kernel{i}": adamw(i) for i in (1, 2)}),
    *cases("classifier_fused", {f"fused_classifier_kernel{i}": classifier(i) for i in (1, 2, 3, 4, 5)}),
    *cases("fused_residual_forward", {
        "residual_forward_kernel1, layernorm_forward_kernel1": fused_residual(1),
        "fused_residual_forward2": fused_residual(2, 32, 32),
        "fused_residual_forward3": fused_residual(3),
        **{f"fused_residual_forward_kernel{i}": fused_residual(i) for i in (4, 5, 6)},
    }, 1.6e-2),
    Case("fused_residual_forward2 (N = 6)", "dev/cuda/fused_residual_forward.cu", "fused_residual_forward", "second",
         lambda: (fused_residual(2, 6)()[0][1:], {}),
         fault=((134,), "Line 122 lets one thread too many pass (idx > N where idx >= N is meant): it works on a row "
                        "behind the last.")),
    *cases("matmul_backward_bias", {
        f"matmul_backward_bias_kernel{i}": bias_backward(i) for i in (1, 2, 3, 4, 7, 8, 9)}, 8e-3),
    *cases("layernorm_backward", {
        f"layernorm_backward_kernel{i}": layernorm_backward(i) for i in range(2, 9)}, 2e-2),
    *(Case(f"layernorm_backward_kernel{i}", "dev/cuda/layernorm_backward.cu", "layernorm_backward", "run",
           layernorm_backward(i), fault=(places, "No __threadfence() stands between the stores of a block's sums "
                                         "and its atomicInc of the flag that tells the last block that all is done."))
      for i, places in ((9, (996, 997)), (10, ("common.h:168",)))),
    *cases("global_norm", {
        **{f"norm_kernel{i}": global_norm(i) for i in (1, 2, 3)},
        "norm_kernel4, global_norm_aggregate_kernel": global_norm(4)}),
    *cases("attention_backward", {"softmax_forward_kernel5": causal_softmax}, function="softmax"),
    *cases("attention_backward", {
        f"softmax_autoregressive_backward_kernel{i}": causal_softmax_backward(i, t, block)
        for i, t, block in ((1, 32, 64), (2, 32, 64), (3, 32, 64), (4, 32, 64), (5, 32, 64), (6, 64, 64))}),
    Case("softmax_autoregressive_backward_kernel7", "dev/cuda/attention_backward.cu", "attention_backward", "run",
         causal_softmax_backward(7, 64, 64),
         fault=((659,), "Each warp stores its sum where the first warp stores zeros (line 651), with no barrier "
                        "between.")),
    Case("softmax_autoregressive_backward_kernel8", "dev/cuda/attention_backward.cu", "attention_backward", "run",
         causal_softmax_backward(8, 64, 64),
         fault=((706, 708), "As in kernel 7; moreover the next pass of the loop stores a sum where other warps still "
                            "read the last one's (line 708).")),
    *cases("trimat_forward", {
        f"trimul_global<{name}>": trimat(i)
        for i, name in enumerate(("matmul_tri_naive", "matmul_tri_registers", "matmul_tri3", "matmul_tri4"), 1)}),
])
