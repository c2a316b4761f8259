#pragma once
/// The files of an MJCF model: includes, default classes, and how angles and rotations are written.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/convert/source.h"

namespace grashof::convert {

class MjcfDocument {
 public:
  MjcfDocument(std::string path, const FileOptions& options, std::vector<Diagnostic>& found)
      : path_(std::move(path)), options_(options), found_(found) {}

  /// Reads the file and all that it includes; false: something is wrong, in `found`. Throws InputError when
  /// the file itself cannot be read.
  bool load() { return load(path_, 0); }
  xml::Element& root() { return roots_.front(); }
  /// The elements below the root of every file, in order.
  std::vector<xml::Element> sections() const;

  /// angle, eulerseq and coordinate of a <compiler>.
  void readAngles(xml::Element& compiler);
  void readDefaults(xml::Element& section) { readDefaults(section, "main", {}); }
  /// Writes into an element what its class says, or that of the `childclass` around it ("" for none). Throws
  /// InputError after a million elements.
  void fill(xml::Element& e, const std::string& childClass);

  double angle(double x) const;  ///< rad, of an angle as the file writes them
  /// The rotation that quat, euler, axisangle, xyaxes or zaxis gives.
  Quat orientation(xml::Element& e) const;
  /// `pos` (m) and orientation.
  Pose place(xml::Element& e) const;

 private:
  using Attributes = std::map<std::string, std::string>;
  bool load(const std::string& path, int depth);
  bool include(xml::Element& e, int depth);
  void readDefaults(xml::Element& e, const std::string& fallback,
                    std::map<std::string, Attributes> inherited);

  std::string path_;
  const FileOptions& options_;
  std::vector<Diagnostic>& found_;
  std::vector<std::unique_ptr<XmlFile>> files_;
  std::vector<xml::Element> roots_;
  std::map<std::string, std::map<std::string, Attributes>> defaults_;  // class, then tag
  bool degrees_ = true;
  std::string sequence_ = "xyz";
  std::size_t elements_ = 0;
};

}  // namespace grashof::convert
