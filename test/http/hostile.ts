/** What a container may write, or be called: any text, with a liking for what other formats obey. */
import fc from "fast-check"

const fragments = fc.constantFrom(
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "\0",
  "\t",
  "\x1b",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[2J",
  "\x1b]0;title\x07",
  "\x9b31m",
  "\x7f",
  "\u2028",
  "\u2029",
  "\ufeff",
  "\ud800",
  "🚀",
  "data: x",
  "id: 1",
  "event: end",
  "retry: 1",
  ":",
  '"',
  "\\",
  "<script>alert(1)</script>",
  "\x01\0\0\0\0\0\0\x05hello",
)

export const hostile: fc.Arbitrary<string> = fc
  .array(fc.oneof(fragments, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 12 })
  .map((parts) => parts.join(""))
