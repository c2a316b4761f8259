#pragma once
/// Pages that people look at: one file each, with one style for all, which asks for nothing from elsewhere.

#include <string>
#include <string_view>

namespace grashof {

/// Text as it may stand in HTML and SVG.
std::string escaped(const std::string& text);

/// JSON as it may stand in a script element, which no name in it can end.
std::string scriptText(std::string json);

/// A whole page. `body`: HTML; `script`: what the page runs, as chartScript(); empty: nothing.
std::string htmlPage(const std::string& title, const std::string& body, std::string_view script = {});

/// A chart that chartScript() lays out for the width of the screen. `data`: JSON (assets/pages/chart.js);
/// `picture`: SVG for who runs no scripts.
std::string chartFigure(const std::string& data, const std::string& picture);

namespace study {

/// The page of a study; `data`: JSON.
std::string pageOf(const std::string& title, const std::string& data);

}  // namespace study
}  // namespace grashof
