// torch/library.h, with one change: the namespace of the operators is asked for when the library is loaded.
// So a binding is compiled once, and an operator whose kernel was edited can be loaded beside the old one.
#pragma once
#include_next <torch/library.h>

extern "C" const char cudabook_namespace[];

#undef TORCH_LIBRARY
#define TORCH_LIBRARY(ns, m)                                                                                     \
    static void C10_CONCATENATE(cudabook_define_, ns)(torch::Library&);                                          \
    static const torch::detail::TorchLibraryInit C10_CONCATENATE(cudabook_init_, ns)(                            \
        torch::Library::DEF, &C10_CONCATENATE(cudabook_define_, ns), cudabook_namespace, std::nullopt, __FILE__, \
        __LINE__);                                                                                               \
    void C10_CONCATENATE(cudabook_define_, ns)(torch::Library & m)

#undef _TORCH_LIBRARY_IMPL
#define _TORCH_LIBRARY_IMPL(ns, k, m, uid)                                                    \
    static void C10_CONCATENATE(cudabook_implement_, uid)(torch::Library&);                   \
    static const torch::detail::TorchLibraryInit C10_CONCATENATE(cudabook_impl_init_, uid)(   \
        torch::Library::IMPL, &C10_CONCATENATE(cudabook_implement_, uid), cudabook_namespace, \
        std::make_optional(c10::DispatchKey::k), __FILE__, __LINE__);                         \
    void C10_CONCATENATE(cudabook_implement_, uid)(torch::Library & m)
