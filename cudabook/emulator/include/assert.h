// assert in a kernel ends the launch with a report, and not the process.
// (No guard: assert.h may be included again, with another NDEBUG.)
#include_next <assert.h>

#ifndef CUDABOOK_ASSERT
#define CUDABOOK_ASSERT
namespace cudabook {
void assert_failed(const char* condition, const char* file, int line, const char* function);
}
#endif

#if !defined(NDEBUG) && defined(__CUDACC__)
#undef assert
#define assert(condition) \
    ((condition) ? void(0) : cudabook::assert_failed(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
