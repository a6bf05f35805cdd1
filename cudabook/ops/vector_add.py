"""What PyTorch must know of vector_add beside its kernels: the shape of its result, and its gradient."""

import torch


# [fake]
def fake(a, b, version=3):
    torch._check_value(a.device == b.device, lambda: f"vector_add: b is on {b.device}, expected {a.device}.")
    torch._check_type(a.dtype == b.dtype, lambda: f"vector_add: b has dtype {b.dtype}, expected {a.dtype}.")
    torch._check_value(a.shape == b.shape, lambda: f"vector_add: b has shape {b.shape}, expected {a.shape}.")
    return torch.empty_like(a)


# [/fake]


# [backward]
def backward(ctx, grad):
    return grad, grad, None  # d(a + b)/da = d(a + b)/db = 1; version is a number


# [/backward]


def register(namespace: str) -> None:
    """Register the fake and the gradient with the operators of one loaded library."""
    torch.library.register_fake(f"{namespace}::vector_add", fake)
    torch.library.register_autograd(f"{namespace}::vector_add", backward)
