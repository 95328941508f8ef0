/** Files of packages that no program reads: types, source maps and descriptions. Licences stay. */
export const UNUSED_FILES = /^(?!licen[cs]e|notice|copying).*\.(?:[cm]?ts|map|md|markdown|flow|tsbuildinfo)$/i

/** Paths in packages that the server never reads. `of`: the package; without it, every package. */
export const UNUSED_PATHS: readonly { readonly of?: string; readonly path: RegExp }[] = [
  { path: /^(?:tests?|__tests__|docs|examples?|benchmarks?|\.yarn|\.github)$/ },
  // The server loads one encoding, as CommonJS.
  { of: 'gpt-tokenizer', path: /^(?:data|src|esm)$/ },
  { of: 'gpt-tokenizer', path: /^cjs\/bpeRanks\/(?!o200k_base)/ },
  // Builds for browsers.
  { of: 'libphonenumber-js', path: /^bundle$/ },
  { of: 'validator', path: /^validator\.(?:min\.)?js$/ },
  // The conformance tests of CEL.
  { of: '@bufbuild/cel-spec', path: /^dist\/(?:cjs|esm)\/testdata$/ },
  // Extensions of PostgreSQL that the server does not use.
  { of: '@electric-sql/pglite', path: /^dist\/[\w-]+\.tar\.gz$/ },
]
