"""The translator by itself: what it changes, what it leaves alone, and what it refuses."""

import re

import pytest

from cudabook.emulator.text import local_includes, mask
from cudabook.emulator.translate import TranslationError, translate, translate_binding


def body(source: str) -> str:
    """The translation without its #line directive."""
    first, rest = translate(source, "x.cu").split("\n", 1)
    assert first == '#line 1 "x.cu"'
    return rest


@pytest.mark.parametrize("source", [
    "// kernel<<<1, 2>>>(x); __shared__ int a;",
    "/* k<<<1, 2>>>(x);\n __shared__ int a; */ int x = 1'000'000;",
    'const char* s = "k<<<1, 2>>>(x); __global__ \\" // no";',
    'auto r = R"(k<<<1, 2>>>(x);)"; char c = \'"\'; int y = a << 3 >> 2;',
    "std::vector<std::vector<std::vector<int>>> v;",
])
def test_text_that_is_not_a_launch_is_left_alone(source):
    assert body(source) == source


def launches(source: str) -> list[tuple[str, str, str]]:
    """(callee, configuration, parameters and arguments) of each translated launch."""
    pattern = r'cudabook::launch\(\{"(.*?)", __FILE__, __LINE__\}, cudabook::Config\((.*?)\), \[&\](.*)\)'
    return re.findall(pattern, body(source), re.DOTALL)


@pytest.mark.parametrize("callee", [
    "kernel", "ns::kernel", "::kernel", "kernel<float>", "kernel<float, 32>", "ns::inner<int>::kernel<T, (N > 3)>",
    "table[i]", "table[i + f(2)]", "(pointer)", "self->kernel", "object.kernel<T>", "kernel<std::pair<A, B<C>>>",
    "traits<T>::template kernel<4>", "name##_kernel", "ns::fill_ ## type##_kernel<T>", "a##b##c",
])
def test_callee(callee):
    [(name, config, call)] = launches(f"void f() {{ if (x) {callee}<<<grid, 32>>>(a, b); }}")
    assert (name, config) == (callee, "grid, 32")
    assert call == f"(auto&& cudabook_0, auto&& cudabook_1) {{ {callee}(cudabook_0, cudabook_1); }},a, b"


@pytest.mark.parametrize("config", ["1, 2", "dim3(1, 2), {3, 4}, 0, stream", "f(a, b), g<c<d>>(e), sizeof(int) * 4",
                                    "(n + 255) >> 8, 256"])
def test_configuration_is_kept(config):
    assert launches(f"k<<<{config}>>>(x);")[0][1] == config


@pytest.mark.parametrize("literal", ["0", "-1", "NULL", "nullptr", "true", "1.5f", "{1, 2}", "0x10"])
def test_literals_stay_where_they_are(literal):
    [(_, _, call)] = launches(f"k<<<1, 1>>>(p, {literal}, n);")
    assert call == f"(auto&& cudabook_0, auto&& cudabook_2) {{ k(cudabook_0, {literal}, cudabook_2); }},p, n"


def test_a_launch_in_a_macro_may_break_its_line_before_the_configuration():
    source = "#define RUN(H) \\\n  kernel<(H)> \\\n  <<<grid, \\\n  block>>>(x, \\\n  H);\nint after;"
    text = body(source)
    assert launches(source)[0][0] == "kernel<(H)>"
    lines = text.split("\n")
    assert all(line.endswith("\\") for line in lines[:4]) and lines[5] == "int after;", text


def test_no_arguments():
    assert launches("k<<<1, 1>>>();")[0][2] == "() { k(); }"


def test_lines_stay_where_they_were():
    source = """#define RUN(kernel, ...) \\
    kernel<<<1,          \\
             2>>>         \\
        (__VA_ARGS__)
template <int N>
__global__ void
    __launch_bounds__(N,
                      2)
    kernel(float* a,
           int n)
{
    __shared__ float x[N],
        y[2][N];
    extern __shared__
        float z[];
}
void f() {
    ns::kernel<4>
        <<<dim3(1,
                2),
           3>>>
        (a,
         n);
    int here;
}
"""
    translated = body(source)
    assert translated.count("\n") == source.count("\n")
    for mark in ("#define", "template", "int here", "void f"):
        line = [i for i, text in enumerate(source.splitlines()) if mark in text]
        assert line == [i for i, text in enumerate(translated.splitlines()) if mark in text]


def test_kernel_prologue_carries_the_launch_bounds():
    assert "CUDABOOK_KERNEL((cudabook::launch_bounds()));" in body("__global__ void k(int n) { }")
    assert "launch_bounds(256, 2)" in body("__global__ void __launch_bounds__(256, 2) k(int n) { }")
    before = "template <class T> __launch_bounds__(T::N) __global__ void k() noexcept { }"
    assert "launch_bounds(T::N)" in body(before)
    assert "CUDABOOK_KERNEL" not in body("__global__ void k(int n);")


@pytest.mark.parametrize("declaration, names", [
    ("__shared__ float x[32];", ["x"]),
    ("__shared__ int a, b[4], c;", ["a", "b", "c"]),
    ("static __shared__ Pair<int, float> p;", ["p"]),
    ("__shared__ __align__(16) half t[64][72];", ["t"]),
    ("volatile __shared__ float s[N * sizeof(Pair<A, B>)];", ["s"]),
    ("__shared__ typename Reduce::TempStorage temp;", ["temp"]),
    ("__shared__ union { int i; float f; } both;", ["both"]),
])
def test_static_shared_memory(declaration, names):
    translated = body(f"__device__ void f() {{ {declaration} }}")
    assert re.findall(r"auto& (\w+) = cudabook_memory_0\.\1;", translated) == names
    assert "__shared__" not in translated


@pytest.mark.parametrize("declaration, wanted", [
    ("extern __shared__ float s[];", "float* const s = static_cast<float*>(cudabook::dynamic_shared());"),
    ("extern __shared__ __align__(16) unsigned char s[];",
     "unsigned char* const s = static_cast<unsigned char*>(cudabook::dynamic_shared());"),
    ("extern __shared__ float s[][33];",
     "float (*const s)[33] = reinterpret_cast<float (*)[33]>(cudabook::dynamic_shared());"),
])
def test_dynamic_shared_memory(declaration, wanted):
    assert wanted in body(f"__device__ void f() {{ {declaration} }}")


@pytest.mark.parametrize("scope", ["{}", "namespace a {{ {} }}", 'extern "C" {{ {} }}',
                                   "namespace {{ namespace b {{ {} }} }}"])
def test_dynamic_shared_memory_at_file_scope(scope):
    assert "DynamicShared<float> s;" in body(scope.format("extern __shared__ float s[];"))


@pytest.mark.parametrize("source, line, words", [
    ("\n\nvoid f() { asm volatile(\"bar.sync 0;\"); }", 3, "inline PTX"),
    ("#include <cub/block/block_reduce.cuh>", 1, "not part of the emulator"),
    ("\n__shared__ float x[3];", 2, "outside a function"),
    ("__device__ void f() {\n __shared__ int x = 3; }", 2, "without a value"),
    ("#define KERNEL __global__ void\nKERNEL k() {}", 1, "must stand before a function"),
    ("void f() { <<<1, 2>>>(x); }", 1, "no kernel name"),
    ("void f() { k<<<1, 2(x); }", 1, "no '>>>('"),
    ("void f() {\n\n k<<<1, 2>>>(x; }", 3, "never closed"),
])
def test_refusals_name_the_line(source, line, words):
    with pytest.raises(TranslationError, match=f"x.cu:{line}: .*{re.escape(words)}"):
        translate(source, "x.cu")


@pytest.mark.parametrize("header", ["cublas_v2.h", "cublasLt.h", "cuda_fp16.h", "cutlery.h", "mma_helpers.h"])
def test_a_header_whose_name_only_begins_like_a_refused_one_is_not_refused(header):
    assert f"#include <{header}>" in translate(f"#include <{header}>")


def test_binding():
    source = """// the CUDA key
TORCH_LIBRARY_IMPL(ns, CUDA, m) { }
TORCH_LIBRARY_IMPL(ns, AutogradCUDA, m) { }
auto x = at::empty({1}, at::kCUDA); if (t.is_cuda()) say("CUDA kCUDA is_cuda()");
"""
    wanted = """// the CUDA key
TORCH_LIBRARY_IMPL(ns, CPU, m) { }
TORCH_LIBRARY_IMPL(ns, AutogradCPU, m) { }
auto x = at::empty({1}, at::kCPU); if (t.is_cpu()) say("CUDA kCUDA is_cuda()");
"""
    assert translate_binding(source, "b.cpp") == '#line 1 "b.cpp"\n' + wanted


def test_local_includes():
    source = '#include "a.h"\n // #include "b.h"\n#  include "d/c.cuh"\n#include <e.h>'
    assert local_includes(source) == ["a.h", "d/c.cuh"]


def test_mask_keeps_every_position():
    source = 'a /* b\n */ "c\\"d" \'e\' R"x(f)" )x" // g\n1\'000'
    masked = mask(source)
    assert [i for i, c in enumerate(source) if c == "\n"] == [i for i, c in enumerate(masked) if c == "\n"]
    assert len(masked) == len(source)
    assert masked.replace(" ", "") == 'a\n""\'\'R"\n1\'000'
