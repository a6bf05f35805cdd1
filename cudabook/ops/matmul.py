"""What PyTorch must know of matmul beside its kernels: the shape of its result, and its gradients."""

import torch


def fake(a, b, version=None):
    torch._check_value(
        a.dim() >= 1 and b.dim() == 2,
        lambda: f"matmul: a has shape {tuple(a.shape)} and b {tuple(b.shape)}, expected [..., k] and [k, n].",
    )
    torch._check_value(
        a.shape[-1] == b.shape[0],
        lambda: f"matmul: b has shape {tuple(b.shape)}, expected {a.shape[-1]} rows, as many as a has columns.",
    )
    torch._check_value(
        a.device == b.device and a.dtype == b.dtype,
        lambda: f"matmul: b is {b.dtype} on {b.device}, expected {a.dtype} on {a.device}, like a.",
    )
    return a.new_empty(*a.shape[:-1], b.shape[1])


def register(namespace: str) -> None:
    """Register the fake and the gradient with the operators of one loaded library."""
    operator = getattr(torch.ops, namespace).matmul

    def setup_context(ctx, inputs, output):
        a, b, ctx.version = inputs
        ctx.save_for_backward(a, b)

    def backward(ctx, grad):
        # c = a b, so da = dc b' and db = a' dc; the kernels take rows as they lie, so the turned ones are copied
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        da = operator(grad, b.t().contiguous(), ctx.version) if ctx.needs_input_grad[0] else None
        rows, grad_rows = (t.flatten(0, -2) if t.dim() > 1 else t[None] for t in (a, grad))
        db = operator(rows.t().contiguous(), grad_rows, ctx.version) if ctx.needs_input_grad[1] else None
        return da, db, None

    torch.library.register_fake(f"{namespace}::matmul", fake)
    torch.library.register_autograd(f"{namespace}::matmul", backward, setup_context=setup_context)
