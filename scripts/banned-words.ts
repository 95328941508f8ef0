export interface BannedWord {
  readonly kind: 'text' | 'name' | 'part' | 'opening'
  readonly word: string
  readonly instead: string
}

export interface BannedWordFinding {
  /** 1-based; 0 for the file's path. */
  readonly line: number
  readonly word: string
  readonly instead: string
}

interface Matcher extends BannedWord {
  readonly pattern: RegExp
}

/** Splits identifiers into words: `heldByHits` and `held-by-hits` become `held by hits`. */
const splitNames = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[-_/]/g, ' ')

/** Blanks comments and strings, so that only code is left; lines keep their numbers. */
const codeOnly = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g, (match) =>
    match.replace(/[^\n]/g, ' '),
  )

const patternOf: Record<BannedWord['kind'], (word: string) => RegExp> = {
  text: (word) => new RegExp(`\\b${word}\\b`, 'i'),
  name: (word) => new RegExp(`(?<![\\w$-])${word}(?![\\w$-])`),
  part: (word) => new RegExp(`\\b${word}\\b`, 'i'),
  // The start of a sentence: of a comment, a text in quotes or JSX, a heading, a list entry, or after a full stop. No question mark follows.
  opening: (word) => new RegExp(`(?:^\\s*|^\\s*[#>|-]+ |\\| |\\/\\*\\*? |\\* |\\/\\/ |[.:] |>|['"\`])${word} (?![^.'"\`<|]*\\?)`),
}

const isKind = (kind: string | undefined): kind is BannedWord['kind'] => kind !== undefined && kind in patternOf

/** Reads lines of `kind | word | write instead`. */
export const readBannedWords = (lines: readonly string[]): readonly Matcher[] =>
  lines.map((line) => {
    const [kind, word, instead] = line.split('|').map((part) => part.trim())
    if (!isKind(kind) || !word || !instead) throw new Error(`Cannot read "${line}". Expected: kind | word | write instead`)
    return { kind, word, instead, pattern: patternOf[kind](word) }
  })

/** Finds banned words in a file's path and text. Names are looked for in code only, not in documents. */
export function findBannedWords(path: string, text: string, words: readonly Matcher[]): readonly BannedWordFinding[] {
  const isCode = /\.(ts|tsx|mjs|cjs)$/.test(path)
  const code = isCode ? codeOnly(text).split('\n') : []
  const found: BannedWordFinding[] = []
  const check = (line: number, matcher: Matcher, candidate: string) => {
    if (matcher.pattern.test(candidate)) found.push({ line, word: matcher.word, instead: matcher.instead })
  }
  const named = path.replace(/\.\w+$/, '')
  for (const matcher of words) {
    if (matcher.kind === 'part') check(0, matcher, splitNames(named))
    if (matcher.kind === 'name') check(0, matcher, ` ${named.replaceAll('/', ' ')} `)
  }
  for (const [index, line] of text.split('\n').entries()) {
    const codeLine = code[index] ?? ''
    for (const matcher of words) {
      if (matcher.kind === 'opening') check(index + 1, matcher, line)
      else if (matcher.kind === 'text') check(index + 1, matcher, `${line} ${splitNames(line)}`)
      else check(index + 1, matcher, matcher.kind === 'part' ? splitNames(codeLine) : codeLine)
    }
  }
  return found
}
