#include "engine/base/utf8.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <iconv.h>

namespace grashof {
namespace {

constexpr const char* kLatin = "WINDOWS-1252";  // has the letters of ISO-8859-1, and more

struct IconvEnd {
  using pointer = iconv_t;
  void operator()(iconv_t handle) const { iconv_close(handle); }
};

int lineAt(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Where a text is no UTF-8; npos: it is.
std::size_t notUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
    };
    const unsigned lead = byte(0);
    const std::size_t more = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4) return i;
    for (std::size_t k = 1; k <= more; ++k)
      if ((byte(k) & 0xC0u) != 0x80) return i;
    // Longer than need be, of a surrogate, or beyond the last letter.
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
        (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F))
      return i;
    i += 1 + more;
  }
  return std::string_view::npos;
}

/// A text out of another encoding. `replace`: what that does not have becomes a question mark.
Utf8Text converted(std::string_view text, const std::string& encoding, bool replace = false) {
  iconv_t const handle = iconv_open("UTF-8", encoding.c_str());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): as the interface of POSIX has it
  if (handle == reinterpret_cast<iconv_t>(-1))
    return {"", fmt::format("has the encoding '{}', which is not known (save it as UTF-8)", encoding), 1};
  const std::unique_ptr<void, IconvEnd> end(handle);
  Utf8Text made;
  made.encoding = encoding;
  std::string input(text);
  char* from = input.data();
  std::size_t left = input.size();
  std::array<char, 4096> room{};
  while (left > 0) {
    char* to = room.data();
    std::size_t free = room.size();
    const std::size_t result = iconv(handle, &from, &left, &to, &free);
    made.text.append(room.data(), room.size() - free);
    if (result != static_cast<std::size_t>(-1) || errno == E2BIG) continue;
    if (!replace) {
      made.line = lineAt(made.text, made.text.size());
      made.defect = fmt::format("holds bytes that are no {} (save it as UTF-8)", encoding);
      return made;
    }
    made.text += '?';
    ++from;
    --left;
  }
  return made;
}

/// The encoding that a mark at the beginning says, and the length of the mark; none: there is no mark.
std::optional<std::pair<std::string, std::size_t>> encodingByMark(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xff\xfe\0\0"sv)) return {{"UTF-32LE", 4}};
  if (text.starts_with("\0\0\xfe\xff"sv)) return {{"UTF-32BE", 4}};
  if (text.starts_with("\xff\xfe"sv)) return {{"UTF-16LE", 2}};
  if (text.starts_with("\xfe\xff"sv)) return {{"UTF-16BE", 2}};
  if (text.starts_with("<\0"sv)) return {{"UTF-16LE", 0}};
  if (text.starts_with("\0<"sv)) return {{"UTF-16BE", 0}};
  if (text.starts_with("\xef\xbb\xbf"sv)) return {{"UTF-8", 3}};
  return std::nullopt;
}

/// Where the encoding stands in the declaration of XML; an empty part: nowhere.
std::string_view declaredEncoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  const std::string_view head = text.substr(0, std::min(text.find("?>"), text.size()));
  const auto word = head.find("encoding");
  const auto open = word == std::string_view::npos ? word : head.find_first_of("'\"", word);
  const auto close = open == std::string_view::npos ? open : head.find(head[open], open + 1);
  if (close == std::string_view::npos) return {};
  return head.substr(open + 1, close - open - 1);
}

bool meansUtf8(std::string_view encoding) {
  std::string plain;
  for (const char c : encoding)
    if (c != '-' && c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain.empty() || plain == "utf8" || plain == "ascii" || plain == "usascii";
}

/// Only a name: a `//` would be an order to the library.
bool isEncodingName(std::string_view name) {
  return name.size() <= 40 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
         });
}

/// Names UTF-8 in the declaration of a text in UTF-8.
void declareUtf8(std::string& text) {
  const std::string_view name = declaredEncoding(text);
  if (!meansUtf8(name))
    text.replace(static_cast<std::size_t>(name.data() - text.data()), name.size(), "UTF-8");
}

/// Reads comments that are no UTF-8 as Windows-1252: they say nothing to the reader.
std::string withReadableComments(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = std::min(text.find("<!--", at), text.size());
    made += text.substr(at, open - at);
    const auto close = text.find("-->", open);
    at = close == std::string_view::npos ? text.size() : close;
    const std::string_view comment = text.substr(open, at - open);
    made += notUtf8(comment) == std::string_view::npos ? std::string(comment)
                                                       : converted(comment, kLatin, true).text;
  }
  return made;
}

}  // namespace

Utf8Text utf8OfXml(std::string text) {
  if (const auto mark = encodingByMark(text)) {
    if (mark->first != "UTF-8") {
      Utf8Text made = converted(std::string_view(text).substr(mark->second), mark->first);
      if (made.defect.empty()) declareUtf8(made.text);
      return made;
    }
    text.erase(0, mark->second);
    declareUtf8(text);
  }
  const std::string encoding(declaredEncoding(text));
  if (!meansUtf8(encoding)) {
    if (!isEncodingName(encoding)) return {"", "names an encoding that is no word (save it as UTF-8)", 1};
    // UTF-16 cannot be: the declaration was read byte by byte.
    const bool wrong = encoding.starts_with("UTF-16") || encoding.starts_with("utf-16");
    Utf8Text made = wrong ? Utf8Text{text} : converted(text, encoding);
    if (made.defect.empty()) declareUtf8(made.text);
    if (!wrong) return made;
    text = std::move(made.text);
  }
  // What does not begin as XML is none: the parser says so.
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '<' || notUtf8(text) == std::string::npos)
    return {std::move(text)};
  text = withReadableComments(text);
  const std::size_t at = notUtf8(text);
  if (at == std::string::npos) return {std::move(text)};
  return {"",
          fmt::format("holds the byte 0x{:02X}, which is no UTF-8 (save it as UTF-8, or name its encoding in "
                      "its first line, as in <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>)",
                      static_cast<unsigned char>(text[at])),
          lineAt(text, at)};
}

Utf8Text utf8OfText(std::string text, bool& assumed) {
  assumed = false;
  if (const auto mark = encodingByMark(text); mark && mark->second > 0) {
    if (mark->first != "UTF-8") return converted(std::string_view(text).substr(mark->second), mark->first);
    text.erase(0, mark->second);
  }
  assumed = notUtf8(text) != std::string::npos;
  return assumed ? converted(text, kLatin, true) : Utf8Text{std::move(text)};
}

}  // namespace grashof
