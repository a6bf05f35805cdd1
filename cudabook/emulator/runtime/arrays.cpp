// What g++ -fsanitize=bounds calls for an index beyond the declared size of an array. Loads and stores of local arrays
// are not watched, so this is how a step out of one is seen. Arrays in shared and global memory are left to the watch
// over memory, which knows where they really end: rows of one array may be walked through.
#include "block.h"

#include <cctype>
#include <fstream>

namespace {

struct Type {
    uint16_t kind, info;
    char name[1];
};
struct Subscript {
    const char* file;
    uint32_t line, column;  // of the closing bracket
    const Type* array;
    const Type* index;
};

bool in_name(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether the text declares an array of this name as __shared__, __device__ or __constant__.
bool declares_on_device(const std::string& text, const std::string& name) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        size_t end = text.find_first_not_of(" \t", at + name.size());
        if (end == std::string::npos || text[end] != '[' || (at > 0 && in_name(text[at - 1]))) continue;
        size_t start = text.find_last_of(";(){}", at);
        std::string before = text.substr(start == std::string::npos ? 0 : start, at - start);
        for (const char* memory : {"__shared__", "__device__", "__constant__"})
            if (before.find(memory) != std::string::npos) return true;
    }
    return false;
}

// The name that is subscripted, and whether the file declares it as memory of the device.
std::string subscripted(const Subscript& s, bool& of_device) {
    std::ifstream file(s.file);
    std::string text, line;
    for (unsigned n = 1; std::getline(file, line); ++n) {
        text += line + "\n";
        if (n == s.line) break;
    }
    size_t at = std::min<size_t>(s.column, line.size());
    for (;;) {
        int depth = 0;
        while (at > 0) {
            char c = line[--at];
            depth += c == ']' ? 1 : c == '[' ? -1 : 0;
            if (c == '[' && depth == 0) break;
        }
        while (at > 0 && isspace(static_cast<unsigned char>(line[at - 1]))) --at;
        if (at == 0 || line[at - 1] != ']') break;
    }
    size_t end = at;
    while (at > 0 && in_name(line[at - 1])) --at;
    std::string name = line.substr(at, end - at);
    of_device = !name.empty() && declares_on_device(text, name);
    return name.empty() ? "an array" : name;
}

}  // namespace

extern "C" void __ubsan_handle_out_of_bounds(Subscript* s, uintptr_t index) {
    using namespace cudabook;
    if (!worker || !sanitizer) return;
    bool of_device = false, is_signed = s->index->info & 1;
    std::string name = subscripted(*s, of_device);
    if (of_device || worker->is_shared_name(name)) return;
    long long value = (1 << (s->index->info >> 1)) == 32 && is_signed ? int(index) : (long long)index;
    std::string type = s->array->name;
    Report r{"memcheck", "array index out of bounds",
             "index " + std::to_string(value) + " of " + name + ", declared as " + type.substr(1, type.size() - 2),
             name, "local"};
    r.pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    r.index = value;
    worker->report_of_thread(r);
    worker->fail({cudaErrorIllegalAddress, "reported", ""});
}
