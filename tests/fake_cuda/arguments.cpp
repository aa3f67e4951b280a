#include "arguments.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "memory.h"
#include "order.h"

namespace vitrain::fake_cuda {
namespace {

std::string readable(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : "";
}

bool opens(char c) {
  return c == '(' || c == '<' || c == '[' || c == '{';
}

bool closes(char c) {
  return c == ')' || c == '>' || c == ']' || c == '}';
}

// Returns the content of the last parentheses: "int, float const*" for "void
// f<int>(int, float const*)".
std::string_view list_of(std::string_view function) {
  if (!function.ends_with(')')) {
    return {};
  }
  int depth = 0;
  for (std::size_t i = function.size(); i-- > 0;) {
    depth += closes(function[i]) ? 1 : opens(function[i]) ? -1 : 0;
    if (depth == 0) {
      return function.substr(i + 1, function.size() - i - 2);
    }
  }
  return {};
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (depth == 0 && list[i] == ',')) {
      parts.push_back(list.substr(begin, i - begin));
      begin = i + (list.substr(i).starts_with(", ") ? 2 : 1);
    } else {
      depth += opens(list[i]) ? 1 : closes(list[i]) ? -1 : 0;
    }
  }
  return parts;
}

// N of "std::array<char*, Nul>"; 0 for other types.
std::size_t size_of_array(std::string_view type) {
  constexpr std::string_view kArray = "std::array<char*, ";
  return type.starts_with(kArray)
      ? std::strtoul(
            std::string(type.substr(kArray.size())).c_str(), nullptr, 10)
      : 0;
}

} // namespace

Parameters::Parameters(const char* name)
    : what_("the kernel " + std::string(name)) {
  const std::string function = readable(name);
  const auto types = split(list_of(function));
  // Kernels whose tensors are contiguous.
  counts_elements_ = !types.empty() && types[0] == "int" &&
      function.find(" at::native::vectorized_elementwise_kernel<") !=
          std::string::npos;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].ends_with('*')) {
      pointers_.push_back({i, 1, /*has_result=*/false});
    } else if (const std::size_t size = size_of_array(types[i]); size > 0) {
      pointers_.push_back({i, size, /*has_result=*/true});
    }
  }
}

void Parameters::use(cudaStream_t stream, void** arguments) const {
  // An element has a byte or more.
  const int elements =
      counts_elements_ ? *static_cast<const int*>(arguments[0]) : 1;
  for (const Pointers& some : pointers_) {
    for (std::size_t i = 0; i < some.count; ++i) {
      const void* memory =
          static_cast<const void* const*>(arguments[some.parameter])[i];
      if (memory != nullptr && kind_of(memory) == MemoryKind::kDevice) {
        use_in_order(
            stream,
            {memory,
             some.has_result ? static_cast<std::size_t>(elements) : 1,
             /*writes=*/some.has_result && i == 0},
            what_.c_str());
      }
    }
  }
}

} // namespace vitrain::fake_cuda
