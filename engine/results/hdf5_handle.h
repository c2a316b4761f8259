#pragma once
/// Private: ownership of the identifiers of the HDF5 C library.

#include <utility>

#include <hdf5.h>

namespace grashof {

/// Closes an HDF5 identifier when it goes out of scope. Negative: none.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): passed to the C library
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

}  // namespace grashof
