import type { Block } from './blocks.ts'
import { countTokens } from './tokens.ts'

/** A stretch of the Markdown that goes into a chunk whole. */
export interface Piece {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/** No character has more bytes in UTF-8, and no byte more than one token. */
const TOKENS_PER_CHARACTER = 4
/** Words of a paragraph without sentences are counted by so many characters at once. */
const WORDS_AT_ONCE = 200

/**
 * The block in pieces that each fit: whole if it does, else cut where it hurts least: a table between rows, a list between items,
 * code between lines, a paragraph between sentences; what is still too large between words, and a word anywhere.
 */
export function piecesOf(markdown: string, block: Block, limit: number): Piece[] {
  const text = markdown.slice(block.start, block.end)
  // Whoever has this many characters surely does not fit, and need not be counted twice.
  const tokens = text.length > 20 * limit ? Number.POSITIVE_INFINITY : countTokens(text)
  if (tokens <= limit) return [{ start: block.start, end: block.end, tokens }]
  const cut = block.kind === 'paragraph' || block.kind === 'heading' ? sentencesOf : block.kind === 'list' ? itemsOf : linesOf
  return fitted(block.start, cut(text), limit)
}

/** The sentences at the end of a piece that together have at most `limit` tokens, never all of it. */
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

function fitted(start: number, parts: Iterable<string>, limit: number): Piece[] {
  const pieces: Piece[] = []
  let at = start
  const put = (part: string, tokens: number) => {
    pieces.push({ start: at, end: at + part.length, tokens })
    at += part.length
  }
  for (const part of grouped(parts, limit / 2)) {
    const tokens = part.length > 20 * limit ? Number.POSITIVE_INFINITY : countTokens(part)
    if (tokens <= limit) put(part, tokens)
    else for (const words of wordsOf(part, limit)) put(words, countTokens(words))
  }
  return pieces
}

/** Joins parts that are short, up to so many characters: counting each by itself costs more than it gains. */
function* grouped(parts: Iterable<string>, length: number): Generator<string> {
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

/** Runs of whole words that surely fit, as few as are easy to find; words that do not are cut. */
function* wordsOf(text: string, limit: number): Generator<string> {
  const length = Math.max(1, Math.min(WORDS_AT_ONCE, Math.floor(limit / TOKENS_PER_CHARACTER)))
  let run = ''
  for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
    if (run !== '' && run.length + word.length > length) {
      yield run
      run = ''
    }
    if (word.length > length && fits(word, limit)) {
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

/** Whoever has twenty characters for each token surely does not fit, and need not be counted. */
function fits(text: string, limit: number): boolean {
  return text.length <= 20 * limit && countTokens(text) <= limit
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** The white space between two sentences goes with the second: so tokenizers count, and so the counts add up. */
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

function itemsOf(text: string): string[] {
  return text.split(/(?<=\n)(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/)
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/)
}
