#include "engine/study/page.h"

#include <fmt/format.h>

#include "engine/study/page_parts.h"

namespace grashof {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '<'   ? "&lt;"
            : c == '>' ? "&gt;"
            : c == '&' ? "&amp;"
            : c == '"' ? "&quot;"
                       : std::string(1, c);
  return safe;
}

std::string htmlPage(const std::string& title, const std::string& body, std::string_view script) {
  // Some fragments are large: they are joined, not formatted.
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>";
  page += escaped(title) + "</title>\n<style>\n";
  page += pageStyle();
  page += "</style>\n</head>\n<body>\n" + body;
  if (!script.empty()) {
    page += "<script>\n";
    page += script;
    page += "</script>\n";
  }
  return page + "</body>\n</html>\n";
}

std::string chartFigure(const std::string& data, const std::string& picture) {
  return "<figure class=\"chart\"><div class=\"wide\">" + picture +
         "</div><script type=\"application/json\">" + scriptText(data) + "</script></figure>";
}

std::string scriptText(std::string json) {
  for (auto at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

namespace study {

std::string pageOf(const std::string& title, const std::string& data) {
  constexpr std::string_view kBody = R"html(<p class="faint" id="about"></p>
<section><h2>Measures</h2><div class="wide"><table id="measures" class="leading"></table></div></section>
<div class="sections">
<section><h2>Histogram</h2><label>of <select id="of"></select></label><svg class="drawing" id="histogram" role="img"></svg></section>
<section id="effects"><h2 id="tornado-title"></h2><svg class="drawing" id="tornado" role="img"></svg></section>
<section><h2>Scatter</h2><label>x <select id="sx"></select></label> <label>y <select id="sy"></select></label><svg class="drawing" id="scatter" role="img"></svg></section>
<section id="failures"><h2>Failed runs</h2><div class="wide"><table id="failed" class="leading"></table></div></section>
</div>
<section><h2>Parallel coordinates</h2><p class="faint">Drag along an axis to keep only the runs that pass there; click it to let all pass again.</p><div class="wide"><canvas id="parallel"></canvas></div></section>
)html";
  return htmlPage(title,
                  "<h1>" + escaped(title) + "</h1>\n" + std::string(kBody) +
                      "<script type=\"application/json\" id=\"data\">" + scriptText(data) + "</script>\n",
                  studyScript());
}

}  // namespace study
}  // namespace grashof
