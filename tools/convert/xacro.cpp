#include "tools/convert/xacro.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/error.h"
#include "engine/base/spelling.h"
#include "tools/convert/xacro_expression.h"

namespace grashof::convert {
namespace {

using tinyxml2::XMLElement;

constexpr std::string_view kPrefix = "xacro:";
constexpr int kMostNested = 150;                             // of elements, macros and includes
constexpr int kMostResolved = 30;                            // of properties that use others, and of brackets
constexpr std::size_t kMostElements = std::size_t{1} << 18;  // that are looked at
constexpr std::size_t kMostText = std::size_t{64} << 20;     // characters of the expanded file
constexpr std::size_t kMostValue = std::size_t{1} << 20;     // characters of an attribute

/// An element and the file it stands in.
struct FilePlace {
  const XMLElement* element = nullptr;
  const std::string* file = nullptr;
};

struct Scope;

/// What a block parameter, or a property without value, stands for.
struct Block {
  FilePlace place;
  bool children = false;   // those of the element, not itself
  Scope* scope = nullptr;  // in which it is expanded; null: the one where it is inserted
};

struct Property {
  std::string raw;
  FilePlace place;
  bool resolved = false, resolving = false;
};

struct Parameter {
  std::string name, fallback;
  enum class Kind { Value, Element, Children } kind = Kind::Value;
  bool hasFallback = false,
       forwarded = false;  // forwarded: the caller's property of this name, if there is one
};

struct Macro {
  FilePlace place;
  std::vector<Parameter> parameters;
};

/// Names of a file, or of one call of a macro.
struct Scope {
  Scope* parent = nullptr;
  std::map<std::string, Property> properties;
  std::map<std::string, Block> blocks;
  std::map<std::string, Macro> macros;
  std::string call;  // of the macro, for messages
};

template <typename Item>
std::pair<Item*, Scope*> find(Scope& scope, std::map<std::string, Item> Scope::*table,
                              const std::string& name) {
  for (Scope* s = &scope; s; s = s->parent)
    if (const auto at = (s->*table).find(name); at != (s->*table).end()) return {&at->second, s};
  return {nullptr, nullptr};
}

std::string escapedXml(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n')
      out += "&#10;";
    else
      out += c;
  return out;
}

/// Texts that blanks separate, but for those in quotes.
std::vector<std::string> wordsOf(const std::string& text) {
  std::vector<std::string> words;
  char quote = 0;
  bool open = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && !quote) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    words.back() += c;
    if (quote ? c == quote : c == '\'' || c == '"') quote = quote ? '\0' : c;
  }
  return words;
}

bool isName(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

class XacroExpander {
 public:
  XacroExpander(const std::string& path, const FileOptions& options) : options_(options) {
    for (const XacroArgument& a : options.arguments) arguments_[a.name] = a.value;
    main_ = open(path);
  }

  ExpandedXacro expand() {
    emit({&main_->rootElement(), &main_->path()}, global_);
    for (const XacroArgument& a : options_.arguments)
      if (!used_.contains(a.name))
        throw InputError(fmt::format("{}: has no argument '{}' (it has: {})", main_->path(), a.name,
                                     used_.empty() ? "none" : fmt::format("{}", fmt::join(used_, ", "))));
    return std::move(out_);
  }

 private:
  [[noreturn]] static void fail(const FilePlace& at, const Scope& scope, const std::string& message) {
    throw InputError(std::vector<Diagnostic>{
        {*at.file, at.element->GetLineNum(), at.element->Name(),
         scope.call.empty() ? message : fmt::format("{} (in {})", message, scope.call)}});
  }

  const XmlFile* open(const std::string& path) {
    auto& file = files_[path];
    if (!file) file = std::make_unique<XmlFile>(path);
    return file.get();
  }

  /// Counts what is nested while it lives.
  class Level {
   public:
    Level(XacroExpander& x, const FilePlace& at, const Scope& scope) : depth_(x.depth_) {
      if (++depth_ > kMostNested) {
        --depth_;
        fail(at, scope, "is nested too deeply (does a macro or a file include itself?)");
      }
      if (++x.elements_ > kMostElements) {
        --depth_;
        fail(at, scope, "the file becomes larger than 262144 elements");
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  // Text.

  XacroValue valueOf(const std::string& name, Property& property, Scope& scope) {
    if (!property.resolved) {
      if (property.resolving) fail(property.place, scope, fmt::format("property {} depends on itself", name));
      if (++resolving_ > kMostResolved)
        fail(property.place, scope, fmt::format("property {} needs too long a chain of others", name));
      property.resolving = true;
      property.raw = textOf(property.raw, property.place, scope);
      property.resolving = false;
      property.resolved = true;
      --resolving_;
    }
    return xacroLiteral(property.raw);
  }

  XacroValue computed(const std::string& expression, const FilePlace& at, Scope& scope, bool withArguments) {
    try {
      return evaluateXacro(expression, [&](const std::string& name) -> std::optional<XacroValue> {
        if (const auto [property, owner] = find(scope, &Scope::properties, name); property)
          return valueOf(name, *property, *owner);
        if (withArguments && arguments_.contains(name)) return xacroLiteral(argument(name, at, scope));
        return std::nullopt;
      });
    } catch (const XacroDefect& defect) {
      fail(at, scope, fmt::format("${{{}}}: {}", expression, defect.what()));
    }
  }

  std::string argument(const std::string& name, const FilePlace& at, const Scope& scope) {
    used_.insert(name);
    const auto found = arguments_.find(name);
    if (found == arguments_.end())
      fail(at, scope, fmt::format("argument '{0}' is not given (--arg {0}:=VALUE)", name));
    return found->second;
  }

  /// What `$(…)` stands for.
  std::string substituted(const std::string& inner, const FilePlace& at, Scope& scope) {
    const std::vector<std::string> words = wordsOf(inner);
    const std::string word = words.empty() ? "" : words[0];
    if (word == "arg" && words.size() == 2) return argument(words[1], at, scope);
    if (word == "find" && words.size() == 2) return "package://" + words[1];
    if (word == "dirname" && words.size() == 1)
      return std::filesystem::absolute(*at.file).parent_path().string();
    if (word == "eval" && words.size() > 1)
      return computed(inner.substr(inner.find("eval") + 4), at, scope, true).written();
    fail(at, scope,
         fmt::format("$({}) is not expanded (known: arg NAME, find PACKAGE, dirname, eval EXPRESSION)",
                     inner));
  }

  /// Where what begins with `open` at `from` ends; npos: it does not. Brackets in texts do not count.
  static std::size_t endOf(const std::string& text, std::size_t from, char open, char close) {
    int depth = 0;
    char quote = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
      const char c = text[i];
      if (quote) {
        if (c == quote) quote = 0;
      } else if (open == '{' && (c == '\'' || c == '"')) {
        quote = c;
      } else if (c == open) {
        ++depth;
      } else if (c == close && --depth == 0) {
        return i;
      }
    }
    return std::string::npos;
  }

  /// `raw` with what xacro replaces in texts.
  std::string textOf(const std::string& raw, const FilePlace& at, Scope& scope) {
    if (raw.find('$') == std::string::npos) return raw;
    if (++brackets_ > kMostResolved) fail(at, scope, "is nested too deeply");
    std::string out;
    for (std::size_t i = 0; i < raw.size();) {
      const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
      if (raw[i] == '$' && next == '$' && i + 2 < raw.size() && (raw[i + 2] == '{' || raw[i + 2] == '(')) {
        out += raw.substr(i + 1, 2);
        i += 3;
      } else if (raw[i] == '$' && (next == '{' || next == '(')) {
        const std::size_t end = endOf(raw, i + 1, next, next == '{' ? '}' : ')');
        if (end == std::string::npos) fail(at, scope, fmt::format("'{}' does not end", raw.substr(i, 40)));
        std::string inner = raw.substr(i + 2, end - i - 2);
        if (next == '(' || inner.find("$(") != std::string::npos) inner = textOf(inner, at, scope);
        out += next == '{' ? computed(inner, at, scope, false).written() : substituted(inner, at, scope);
        i = end + 1;
      } else {
        out += raw[i++];
      }
      if (out.size() > kMostValue) fail(at, scope, "a text becomes longer than a million characters");
    }
    --brackets_;
    return out;
  }

  std::string attribute(const FilePlace& at, const char* name, Scope& scope) {
    const char* value = at.element->Attribute(name);
    if (!value) fail(at, scope, fmt::format("needs {}=\"...\"", name));
    return textOf(value, at, scope);
  }

  // Elements.

  void write(std::string_view text, const FilePlace& at) {
    out_.text += text;
    if (out_.text.size() > kMostText) fail(at, global_, "the file becomes larger than 64 MiB");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    out_.places.insert(out_.places.end(), static_cast<std::size_t>(lines),
                       {*at.file, at.element->GetLineNum()});
  }

  void emitChildren(const FilePlace& at, Scope& scope) {
    for (const auto* node = at.element->FirstChild(); node; node = node->NextSibling()) {
      if (const XMLElement* child = node->ToElement()) emit({child, at.file}, scope);
      if (const tinyxml2::XMLText* text = node->ToText())
        write(escapedXml(textOf(text->Value(), at, scope)), at);
    }
  }

  void emit(const FilePlace& at, Scope& scope) {
    const Level level(*this, at, scope);
    const std::string_view tag = at.element->Name();
    if (tag.starts_with(kPrefix)) return emitXacro(std::string(tag.substr(kPrefix.size())), at, scope);
    std::string start = fmt::format("<{}", tag);
    for (const auto* a = at.element->FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name.starts_with("xmlns:xacro")) continue;
      if (name.starts_with(kPrefix)) fail(at, scope, fmt::format("{} is not expanded", name));
      start += fmt::format(" {}=\"{}\"", name, escapedXml(textOf(a->Value(), at, scope)));
    }
    if (at.element->NoChildren()) return write(start + "/>\n", at);
    const tinyxml2::XMLText* text = at.element->FirstChild()->ToText();
    write(start + (text ? ">" : ">\n"), at);
    emitChildren(at, scope);
    write(fmt::format("</{}>\n", tag), at);
  }

  /// `word`: what the tag says behind the prefix.
  void emitXacro(const std::string& word, const FilePlace& at, Scope& scope) {
    if (word == "property") return define(at, scope);
    if (word == "arg") return declare(at, scope);
    if (word == "macro") return defineMacro(at, scope);
    if (word == "include") return include(at, scope);
    if (word == "insert_block") return insert(at, scope);
    if (word == "if" || word == "unless") {
      if (condition(at, scope) == (word == "if")) emitChildren(at, scope);
      return;
    }
    if (word == "call") return callMacro(attribute(at, "macro", scope), at, scope);
    if (word == "element" || word == "attribute")
      fail(at, scope, "is not expanded (write the element or attribute out)");
    callMacro(word, at, scope);
  }

  void define(const FilePlace& at, Scope& scope) {
    const std::string name = attribute(at, "name", scope);
    if (!isName(name)) fail(at, scope, fmt::format("'{}' is no name (letters, digits and _)", name));
    const char *value = at.element->Attribute("value"), *fallback = at.element->Attribute("default"),
               *where = at.element->Attribute("scope");
    const std::string_view range = where ? where : "";
    if (!range.empty() && range != "parent" && range != "global")
      fail(at, scope, fmt::format("scope=\"{}\" (parent or global)", range));
    Scope* target = range == "global" ? &global_ : range == "parent" && scope.parent ? scope.parent : &scope;
    if (!value && fallback) {
      if (find(scope, &Scope::properties, name).first) return;
      value = fallback;
    }
    if (!value) {
      target->blocks[name] = {at, true, nullptr};
      return;
    }
    Property property{value, at};
    if (target != &scope) {
      property.raw = textOf(value, at, scope);
      property.resolved = true;
    }
    target->properties[name] = std::move(property);
  }

  void declare(const FilePlace& at, Scope& scope) {
    const std::string name = attribute(at, "name", scope);
    used_.insert(name);
    if (at.element->Attribute("default") && !arguments_.contains(name))
      arguments_[name] = attribute(at, "default", scope);
  }

  static Parameter parameterOf(const std::string& word) {
    Parameter p;
    const std::size_t stars = std::min<std::size_t>(word.find_first_not_of('*'), word.size());
    p.kind = stars == 0   ? Parameter::Kind::Value
             : stars == 1 ? Parameter::Kind::Element
                          : Parameter::Kind::Children;
    const auto equals = word.find('=');
    const bool colon = equals != std::string::npos && equals > 0 && word[equals - 1] == ':';
    p.name = word.substr(stars, equals == std::string::npos ? equals : equals - stars - (colon ? 1 : 0));
    if (equals == std::string::npos) return p;
    std::string rest = word.substr(equals + 1);
    p.forwarded = rest.starts_with('^');
    if (p.forwarded) rest.erase(0, rest.starts_with("^|") ? 2 : 1);
    p.hasFallback = !p.forwarded || !rest.empty();
    if (rest.size() > 1 && (rest.front() == '\'' || rest.front() == '"') && rest.back() == rest.front())
      rest = rest.substr(1, rest.size() - 2);
    p.fallback = rest;
    return p;
  }

  void defineMacro(const FilePlace& at, Scope& scope) {
    Macro macro{at, {}};
    std::string name = attribute(at, "name", scope);
    if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    if (!isName(name)) fail(at, scope, fmt::format("'{}' is no name (letters, digits and _)", name));
    if (const char* parameters = at.element->Attribute("params"))
      for (const std::string& word : wordsOf(parameters)) {
        macro.parameters.push_back(parameterOf(word));
        if (!isName(macro.parameters.back().name)) fail(at, scope, fmt::format("'{}' is no parameter", word));
      }
    scope.macros[name] = std::move(macro);
  }

  bool condition(const FilePlace& at, Scope& scope) {
    const std::string text = attribute(at, "value", scope);
    const XacroValue value = xacroLiteral(text);
    if (value.kind == XacroValue::Kind::Text)
      fail(at, scope, fmt::format("value=\"{}\" is neither true nor false (1, 0, True, False)", text));
    return value.holds();
  }

  void include(const FilePlace& at, Scope& scope) {
    if (at.element->Attribute("ns")) fail(at, scope, "ns: namespaces are not expanded (include without one)");
    const std::string name = attribute(at, "filename", scope);
    if (name.find_first_of("*?[") != std::string::npos)
      fail(at, scope, fmt::format("'{}': name one file (patterns are not expanded)", name));
    std::string found;
    try {
      found = findFile(*at.file, name, options_);
    } catch (const InputError& error) {
      fail(at, scope, error.what());
    }
    if (found.empty()) {
      const char* optional = at.element->Attribute("optional");
      if (optional && xacroLiteral(optional).holds()) return;
      fail(at, scope,
           fmt::format(
               "'{}' is not there (say where with --path, or by ROS_PACKAGE_PATH or AMENT_PREFIX_PATH)",
               name));
    }
    const XmlFile* file = open(found);
    emitChildren({&file->rootElement(), &file->path()}, scope);
  }

  void insert(const FilePlace& at, Scope& scope) {
    const std::string name = attribute(at, "name", scope);
    const Block* block = find(scope, &Scope::blocks, name).first;
    if (!block) fail(at, scope, fmt::format("there is no block '{}'", name));
    Scope& inner = block->scope ? *block->scope : scope;
    if (block->children)
      emitChildren(block->place, inner);
    else
      emit(block->place, inner);
  }

  /// The blocks that the children of an element are.
  void blocksOf(const FilePlace& at, Scope& scope, std::vector<Block>& all) {
    const Level level(*this, at, scope);
    for (const XMLElement* child = at.element->FirstChildElement(); child;
         child = child->NextSiblingElement()) {
      const FilePlace place{child, at.file};
      const std::string_view tag = child->Name();
      if (tag == "xacro:if" || tag == "xacro:unless") {
        if (condition(place, scope) == (tag == "xacro:if")) blocksOf(place, scope, all);
      } else if (tag == "xacro:insert_block") {
        const std::string name = attribute(place, "name", scope);
        const Block* block = find(scope, &Scope::blocks, name).first;
        if (!block) fail(place, scope, fmt::format("there is no block '{}'", name));
        Scope* inner = block->scope ? block->scope : &scope;
        if (block->children)
          blocksOf(block->place, *inner, all);
        else
          all.push_back({block->place, false, inner});
      } else {
        all.push_back({place, false, &scope});
      }
    }
  }

  void callMacro(const std::string& name, const FilePlace& at, Scope& scope) {
    const Macro* found = find(scope, &Scope::macros, name).first;
    if (!found) {
      std::vector<std::string> names;
      for (const Scope* s = &scope; s; s = s->parent)
        for (const auto& entry : s->macros) names.push_back(entry.first);
      const std::string near = closest(name, names);
      fail(at, scope,
           fmt::format("there is no macro '{}'{}", name,
                       near.empty() ? " (is the file that defines it included?)"
                                    : fmt::format(" (did you mean '{}'?)", near)));
    }
    const Macro macro = *found;  // its body may define it anew
    Scope inner;
    inner.parent = &scope;
    inner.call = fmt::format("macro {}, called at {}:{}", name, *at.file, at.element->GetLineNum());
    takeValues(macro, name, at, scope, inner);
    std::vector<Block> blocks;
    blocksOf(at, scope, blocks);
    std::size_t next = 0;
    for (const Parameter& p : macro.parameters) {
      if (p.kind == Parameter::Kind::Value) continue;
      if (next == blocks.size())
        fail(at, scope, fmt::format("lacks an element for the block '{}' of macro {}", p.name, name));
      Block block = blocks[next++];
      block.children = p.kind == Parameter::Kind::Children;
      inner.blocks[p.name] = block;
    }
    if (next < blocks.size())
      fail({blocks[next].place.element, blocks[next].place.file}, scope,
           fmt::format("macro {} has no block for this element", name));
    emitChildren(macro.place, inner);
  }

  /// The parameters of a call that are values.
  void takeValues(const Macro& macro, const std::string& name, const FilePlace& at, Scope& scope,
                  Scope& inner) {
    const bool byName = std::string_view(at.element->Name()) == "xacro:call";
    std::map<std::string, Property> values;
    for (const auto* a = at.element->FirstAttribute(); a; a = a->Next()) {
      if (byName && std::string_view(a->Name()) == "macro") continue;
      const auto fits = [&](const Parameter& p) {
        return p.kind == Parameter::Kind::Value && p.name == a->Name();
      };
      if (std::none_of(macro.parameters.begin(), macro.parameters.end(), fits))
        fail(at, scope, fmt::format("macro {} has no parameter '{}'", name, a->Name()));
      values[a->Name()] = {textOf(a->Value(), at, scope), at, true};
    }
    for (const Parameter& p : macro.parameters) {
      if (p.kind != Parameter::Kind::Value || values.contains(p.name)) continue;
      const auto [outer, owner] =
          p.forwarded ? find(scope, &Scope::properties, p.name) : std::pair<Property*, Scope*>();
      if (outer) {
        valueOf(p.name, *outer, *owner);
        values[p.name] = *outer;
      } else if (p.hasFallback) {
        // The names of the caller count, not the parameters before it, as in ROS.
        Scope outside;
        outside.parent = &scope;
        outside.call = fmt::format("the default of parameter '{}', by the names of the caller, {}:{}", p.name,
                                   *at.file, at.element->GetLineNum());
        values[p.name] = {textOf(p.fallback, macro.place, outside), macro.place, true};
      } else {
        fail(at, scope, fmt::format("parameter '{}' of macro {} is not given", p.name, name));
      }
    }
    inner.properties = std::move(values);
  }

  const FileOptions& options_;
  std::map<std::string, std::unique_ptr<XmlFile>> files_;
  const XmlFile* main_ = nullptr;
  std::map<std::string, std::string> arguments_;
  std::set<std::string> used_;  // arguments that the files have
  Scope global_;
  ExpandedXacro out_;
  int depth_ = 0, resolving_ = 0, brackets_ = 0;
  std::size_t elements_ = 0;
};

}  // namespace

bool isXacro(const std::string& path) { return path.ends_with(".xacro"); }

XacroArgument parseXacroArgument(const std::string& text) {
  const auto at = text.find(":=");
  if (at == std::string::npos || at == 0)
    throw InputError(fmt::format("--arg {}: needs NAME:=VALUE (as in --arg side:=left)", text));
  return {text.substr(0, at), text.substr(at + 2)};
}

ExpandedXacro expandXacro(const std::string& path, const FileOptions& options) {
  return XacroExpander(path, options).expand();
}

std::vector<Diagnostic> placedDiagnostics(const ExpandedXacro& expanded, const std::string& path,
                                          std::vector<Diagnostic> found) {
  for (Diagnostic& d : found) {
    const auto line = static_cast<std::size_t>(std::max(0, d.line));
    if (d.file != path || line == 0 || line > expanded.places.size()) continue;
    d.file = expanded.places[line - 1].file;
    d.line = expanded.places[line - 1].line;
  }
  return found;
}

}  // namespace grashof::convert
