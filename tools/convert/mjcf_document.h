#pragma once
/// The files of an MJCF model: includes, default classes, and how angles and rotations are written.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/convert/source.h"

namespace grashof::convert {

class MjcfDocument {
 public:
  MjcfDocument(std::string path, const FileOptions& options, std::vector<Diagnostic>& found)
      : path_(std::move(path)), options_(options), found_(found) {}

  /// Reads the file; false: something is wrong, in `found`. Throws InputError when it cannot be read.
  bool load();
  const std::string& path() const { return path_; }
  xml::Element root();
  /// The elements below the root in the order of the text, with those of included files in their places.
  std::vector<xml::Element> sections() { return children(root()); }
  /// The elements inside `e`; an <include> is replaced by what its file holds.
  std::vector<xml::Element> children(const xml::Element& e);

  /// angle, eulerseq and coordinate of a <compiler>.
  void readAngles(xml::Element& compiler);
  /// A <default> of the top level, whatever its name. Several of them add up.
  void readDefaults(xml::Element& section);
  /// Writes into an element what its class says, or that of the `childclass` around it ("" for none). Lists
  /// that are shorter than those of the class keep the rest of the class. `tag`: what the class calls such
  /// elements, if not as the file does. `only`: the attributes to take; empty: all. Throws InputError after a
  /// million elements.
  void fill(xml::Element& e, const std::string& childClass, const std::string& tag = {},
            const std::vector<std::string>& only = {});

  double angle(double x) const;  ///< rad, of an angle as the file writes them
  /// The rotation of three angles, as `euler` has them.
  Quat eulerRotation(const std::vector<double>& euler) const;
  /// The rotation that quat, euler, axisangle, xyaxes or zaxis gives.
  Quat orientation(xml::Element& e) const;
  /// `pos` (m) and orientation.
  Pose place(xml::Element& e) const;

 private:
  using Attributes = std::map<std::string, std::string>;
  XmlFile* included(const xml::Element& include);
  bool includes(const std::string& file, const std::string& other) const;
  void readClass(xml::Element& e, const std::string& name,
                 const std::map<std::string, Attributes>& inherited);

  std::string path_;
  const FileOptions& options_;
  std::vector<Diagnostic>& found_;
  std::map<std::string, std::unique_ptr<XmlFile>> files_;              // by path
  std::map<std::string, XmlFile*> byInclude_;                          // by place; null: reported
  std::map<std::string, std::set<std::string>> includedFrom_;          // files that a file includes
  std::map<std::string, std::map<std::string, Attributes>> defaults_;  // class, then tag
  bool degrees_ = true;
  std::string sequence_ = "xyz";
  std::size_t elements_ = 0;
};

}  // namespace grashof::convert
