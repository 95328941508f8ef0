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
  // The server imports `libphonenumber-js/min` as an ES module.
  { of: 'libphonenumber-js', path: /^(?:build|es6-modern|source|mobile|max|metadata\.(?:full|max|mobile)\.json(?:\.js)?)$/ },
  { of: 'validator', path: /^validator\.(?:min\.)?js$/ },
  { of: 'mammoth', path: /^mammoth\.browser(?:\.min)?\.js$/ },
  { of: 'csv-parse', path: /^dist\/(?:umd|iife)$/ },
  { of: 're2js', path: /^build\/index\.umd\.js$/ },
  { of: 'jszip', path: /^dist$/ },
  { of: 'pako', path: /^dist$/ },
  { of: 'yaml', path: /^browser$/ },
  { of: 'underscore', path: /^(?:amd|modules)$/ },
  // CommonJS copies of packages that only ES modules import.
  { of: '@bufbuild/cel', path: /^dist\/cjs$/ },
  { of: '@bufbuild/cel-spec', path: /^dist\/cjs$/ },
  { of: '@bufbuild/protobuf', path: /^dist\/cjs$/ },
  { of: '@bufbuild/re2', path: /^dist\/cjs$/ },
  { of: '@electric-sql/pglite', path: /\.cjs$/ },
  { of: '@pydantic/genai-prices', path: /^dist\/(?:cli\.js|index\.cjs)$/ },
  { of: 're2js', path: /^build\/index\.cjs$/ },
  { of: 'nodemailer', path: /^dist\/cjs$/ },
  { of: 'csv-parse', path: /^dist\/cjs$/ },
  // ES modules of a package that only CommonJS loads.
  { of: 'validator', path: /^es$/ },
  // Names of attributes that are not stable yet. The server has its own list (platform/telemetry/gen-ai.ts).
  { of: '@opentelemetry/semantic-conventions', path: /^dist\/(?:experimental_|index-incubating)/ },
  // The conformance tests of CEL.
  { of: '@bufbuild/cel-spec', path: /^dist\/(?:cjs|esm)\/testdata$/ },
  // Extensions of PostgreSQL that the server does not use.
  { of: '@electric-sql/pglite', path: /^dist\/[\w-]+\.tar\.gz$/ },
]
