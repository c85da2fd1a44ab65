/** What Bun itself brings into the executable, linked into its runtime, as of the Bun that runs this. */

export interface Part {
  readonly name: string
  /** A release, or the commit that was built. */
  readonly version: string
  /** As SPDX says it. */
  readonly license: string
  readonly source: string
}

/** By the names in `process.versions`. */
const PARTS: Readonly<Record<string, Pick<Part, "license" | "source">>> = {
  bun: { license: "MIT", source: "https://github.com/oven-sh/bun" },
  webkit: {
    license: "LGPL-2.0-or-later AND BSD-2-Clause",
    source: "https://github.com/oven-sh/WebKit",
  },
  tinycc: { license: "LGPL-2.1-or-later", source: "https://github.com/oven-sh/tinycc" },
  boringssl: {
    license: "Apache-2.0 AND ISC AND OpenSSL",
    source: "https://github.com/oven-sh/boringssl",
  },
  uwebsockets: { license: "Apache-2.0", source: "https://github.com/uNetworking/uWebSockets" },
  usockets: { license: "Apache-2.0", source: "https://github.com/uNetworking/uSockets" },
  llhttp: { license: "MIT", source: "https://github.com/nodejs/llhttp" },
  picohttpparser: { license: "MIT", source: "https://github.com/h2o/picohttpparser" },
  lshpack: { license: "MIT", source: "https://github.com/litespeedtech/ls-hpack" },
  ares: { license: "MIT", source: "https://github.com/c-ares/c-ares" },
  mimalloc: { license: "MIT", source: "https://github.com/microsoft/mimalloc" },
  libarchive: { license: "BSD-2-Clause", source: "https://github.com/libarchive/libarchive" },
  libdeflate: { license: "MIT", source: "https://github.com/ebiggers/libdeflate" },
  zlib: { license: "Zlib", source: "https://github.com/zlib-ng/zlib-ng" },
  zstd: { license: "BSD-3-Clause", source: "https://github.com/facebook/zstd" },
  lolhtml: { license: "BSD-3-Clause", source: "https://github.com/cloudflare/lol-html" },
  sqlite: { license: "blessing", source: "https://sqlite.org" },
  icu: { license: "Unicode-3.0", source: "https://github.com/unicode-org/icu" },
}

/** What `process.versions` names beside them: what Bun is compatible with, and what it was built with. */
const NO_PARTS: ReadonlySet<string> = new Set(
  "node openssl v8 uv napi modules unicode zig typescript".split(" "),
)

/** Throws an Error for a part that is not known here: a new Bun may have one. */
export function runtimeParts(): Part[] {
  return Object.entries(process.versions).flatMap(([name, version]) => {
    if (NO_PARTS.has(name) || version === undefined) return []
    const part = PARTS[name]
    if (!part) throw new Error(`Bun ${process.versions.bun} has a part that is not known: ${name}`)
    return [{ name, version, ...part }]
  })
}
