#include <doctest/doctest.h>

#include "engine/base/utf8.h"

using namespace grashof;

TEST_CASE("XML becomes UTF-8 by its mark or its declaration, which names UTF-8 afterwards") {
  CHECK(utf8OfXml("<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xe9'/>").text ==
        "<?xml version='1.0' encoding='UTF-8'?><a b='\u00e9'/>");
  CHECK(utf8OfXml("<?xml version='1.0' encoding='windows-1252'?><a b='\x80'/>").text ==
        "<?xml version='1.0' encoding='UTF-8'?><a b='\u20ac'/>");
  CHECK(utf8OfXml("\xef\xbb\xbf<a/>").text == "<a/>");
  CHECK(utf8OfXml(std::string("\xfe\xff\0<\0\xe9\0/\0>", 10)).text == "<\u00e9/>");
  CHECK(utf8OfXml(std::string("<\0a\0/\0>\0", 8)).text == "<a/>");
  // What says UTF-16 byte by byte is none.
  CHECK(utf8OfXml("<?xml version='1.0' encoding='UTF-16'?><a/>").text ==
        "<?xml version='1.0' encoding='UTF-8'?><a/>");
  CHECK(utf8OfXml("<a b='\u00e9'/>").encoding.empty());
}

TEST_CASE("comments of XML may be in any encoding, what is read may not") {
  const Utf8Text comment = utf8OfXml("<!-- M\xfcller -->\n<a/>");
  CHECK(comment.text == "<!-- M\u00fcller -->\n<a/>");
  CHECK(comment.defect.empty());
  const Utf8Text name = utf8OfXml("<!-- \xfc -->\n<a b='\xfc'/>");
  CHECK(name.defect.find("holds the byte 0xFC, which is no UTF-8") != std::string::npos);
  CHECK(name.line == 2);
  CHECK(utf8OfXml("<?xml version='1.0' encoding='MOON'?><a/>").defect.find("'MOON', which is not known") !=
        std::string::npos);
  CHECK(utf8OfXml("<?xml version='1.0' encoding='UTF-7//TRANSLIT'?><a/>").defect.find("no word") !=
        std::string::npos);
  CHECK(utf8OfXml(std::string("\xff\xfe<\0\0\xd8<\0", 8)).defect.find("no UTF-16LE") != std::string::npos);
}

TEST_CASE("overlong letters, surrogates and cut letters are no UTF-8") {
  for (const char* letter :
       {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xff"}) {
    CAPTURE(letter);
    CHECK(!utf8OfXml(std::string("<a b='") + letter + "'/>").defect.empty());
  }
}

TEST_CASE("plain text that is no UTF-8 is read as Windows-1252, and that is told") {
  bool assumed = false;
  CHECK(utf8OfText("\xfc\x81", assumed).text == "\u00fc?");
  CHECK(assumed);
  CHECK(utf8OfText("\xef\xbb\xbf\u00fc", assumed).text == "\u00fc");
  CHECK(!assumed);
}
