import type { Block } from './blocks.ts'
import { countTokens } from './tokens.ts'

/** A range of the Markdown that is not split further. */
export interface Piece {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/** Upper bound: a UTF-8 character has at most four bytes, and a byte at most one token. */
const TOKENS_PER_CHARACTER = 4
/** Words of a paragraph without sentences are counted in groups of this many characters. */
const WORDS_AT_ONCE = 200

/**
 * Splits a block into pieces of at most `limit` tokens: tables between rows, lists between items, code between lines, paragraphs
 * between sentences. Pieces that are still too large are split between words, and words at any character.
 */
export function piecesOf(markdown: string, block: Block, limit: number): Piece[] {
  const text = markdown.slice(block.start, block.end)
  const tokens = tokensWithin(text, limit)
  if (tokens <= limit) return [{ start: block.start, end: block.end, tokens }]
  const split = block.kind === 'paragraph' || block.kind === 'heading' ? sentencesOf : block.kind === 'list' ? itemsOf : linesOf
  return fitParts(block.start, split(text), limit)
}

/** The last sentences of a piece with at most `limit` tokens in total; never the whole piece. */
export function tailOf(markdown: string, piece: Piece, limit: number): Piece | undefined {
  const sentences = sentencesOf(markdown.slice(piece.start, piece.end))
  let start = piece.end
  let tokens = 0
  for (const sentence of sentences.slice(1).reverse()) {
    const more = countTokens(sentence)
    if (tokens + more > limit) break
    tokens += more
    start -= sentence.length
  }
  return start < piece.end ? { start, end: piece.end, tokens } : undefined
}

function fitParts(start: number, parts: Iterable<string>, limit: number): Piece[] {
  const pieces: Piece[] = []
  let at = start
  const put = (part: string, tokens: number) => {
    pieces.push({ start: at, end: at + part.length, tokens })
    at += part.length
  }
  for (const part of groupParts(parts, limit / 2)) {
    const tokens = tokensWithin(part, limit)
    if (tokens <= limit) put(part, tokens)
    else for (const words of wordsOf(part, limit)) put(words, countTokens(words))
  }
  return pieces
}

/** Joins short parts up to `length` characters, because counting each of them is slow. */
function* groupParts(parts: Iterable<string>, length: number): Generator<string> {
  let group = ''
  for (const part of parts) {
    if (group !== '' && group.length + part.length > length) {
      yield group
      group = ''
    }
    group += part
  }
  if (group !== '') yield group
}

/** Groups whole words into runs that certainly fit. Splits a word that does not fit. */
function* wordsOf(text: string, limit: number): Generator<string> {
  const length = Math.max(1, Math.min(WORDS_AT_ONCE, Math.floor(limit / TOKENS_PER_CHARACTER)))
  let run = ''
  for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
    if (run !== '' && run.length + word.length > length) {
      yield run
      run = ''
    }
    if (word.length > length && tokensWithin(word, limit) <= limit) {
      yield word
      continue
    }
    run += word
    while (run.length > length) {
      const end = run.codePointAt(length - 1) === run.charCodeAt(length - 1) ? length : length + 1
      yield run.slice(0, end)
      run = run.slice(end)
    }
  }
  if (run !== '') yield run
}

/** A text with twenty characters per token cannot fit, so its tokens are not counted. */
const tokensWithin = (text: string, limit: number): number =>
  text.length > 20 * limit ? Number.POSITIVE_INFINITY : countTokens(text)

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** White space belongs to the sentence after it, as tokenizers count it, so that the counts add up. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let space = ''
  for (const { segment } of segmenter.segment(text)) {
    const body = segment.trimEnd()
    if (body !== '') sentences.push(space + body)
    space = body === '' ? space + segment : segment.slice(body.length)
  }
  const last = sentences.pop() ?? ''
  return [...sentences, last + space]
}

const itemsOf = (text: string): string[] => text.split(/(?<=\n)(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/)

const linesOf = (text: string): string[] => text.split(/(?<=\n)/)
