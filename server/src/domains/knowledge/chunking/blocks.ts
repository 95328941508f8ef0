/** A range of the Markdown, from the start of its first line to the start of the next block. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'list' | 'code' | 'table'
  readonly start: number
  readonly end: number
  /** Level of a heading, else 0. */
  readonly level: number
  readonly heading: string
}

type Line = { readonly start: number; readonly text: string }

const BLANK = /^\s*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/
/** A longer line is not a heading, even if it starts with a mark. */
const MAX_HEADING = 300
const UNDERLINE = /^ {0,3}(?:(=+)|-{2,})[ \t]*$/
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const INDENTED = /^(?: {2,}|\t)/
const DELIMITER_ROW = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/

/** Splits Markdown into blocks without gaps, in one pass over the lines. */
export function blocksOf(markdown: string): Block[] {
  const lines = linesOf(markdown)
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const first = at
    const { kind, next, level = 0, heading = '' } = blockAt(lines, at)
    at = next
    while (at < lines.length && isBlank(lines[at])) at += 1
    // Blank lines before the first block belong to it.
    const start = blocks.length === 0 ? 0 : startOf(lines, first, markdown)
    blocks.push({ kind, start, end: startOf(lines, at, markdown), level, heading })
  }
  return blocks
}

type ParsedBlock = Pick<Block, 'kind'> & Partial<Pick<Block, 'level' | 'heading'>> & { readonly next: number }

function blockAt(lines: readonly Line[], at: number): ParsedBlock {
  const text = textAt(lines, at)
  const fence = FENCE.exec(text)?.[1]
  if (fence) return { kind: 'code', next: afterFence(lines, at + 1, fence) }
  const heading = headingOf(text)
  if (heading) return { kind: 'heading', next: at + 1, ...heading }
  if (startsTable(lines, at)) return { kind: 'table', next: skip(lines, at + 2, (line) => line.includes('|')) }
  if (ITEM.test(text)) return { kind: 'list', next: afterList(lines, at + 1) }
  let next = at + 1
  while (next < lines.length && !isBlank(lines[next]) && !interrupts(lines, next)) {
    const underline =
      next === at + 1 && !isBlank(lines[at]) && text.length <= MAX_HEADING ? UNDERLINE.exec(textAt(lines, next)) : null
    if (underline) return { kind: 'heading', next: next + 1, level: underline[1] ? 1 : 2, heading: text.trim() }
    next += 1
  }
  return { kind: 'paragraph', next }
}

/** Whether a line ends a paragraph without a blank line before it. */
function interrupts(lines: readonly Line[], at: number): boolean {
  const text = textAt(lines, at)
  return (
    FENCE.test(text) || headingOf(text) !== undefined || startsTable(lines, at) || (ITEM.test(text) && !/^[ \t]*\d/.test(text))
  )
}

function headingOf(text: string): { level: number; heading: string } | undefined {
  const match = text.length <= MAX_HEADING ? HEADING.exec(text) : null
  if (!match) return undefined
  const words = text.slice(match[0].length).trim()
  return { level: match[1]?.length ?? 1, heading: words.replace(/(?:^|[ \t]+)#+$/, '') }
}

function startsTable(lines: readonly Line[], at: number): boolean {
  return textAt(lines, at).includes('|') && textAt(lines, at + 1).includes('-') && DELIMITER_ROW.test(textAt(lines, at + 1))
}

function afterFence(lines: readonly Line[], from: number, fence: string): number {
  const closing = skip(lines, from, (line) => {
    const mark = FENCE.exec(line)?.[1]
    return !(mark?.startsWith(fence) && line.trim() === mark)
  })
  return Math.min(closing + 1, lines.length)
}

/** A list continues after blank lines if the next line is an item or indented. */
function afterList(lines: readonly Line[], from: number): number {
  let next = from
  while (next < lines.length) {
    if (isBlank(lines[next])) {
      const further = skip(lines, next, (line) => BLANK.test(line))
      if (!ITEM.test(textAt(lines, further)) && !INDENTED.test(textAt(lines, further))) return next
      next = further
    } else if (headingOf(textAt(lines, next)) || (FENCE.test(textAt(lines, next)) && !INDENTED.test(textAt(lines, next))))
      return next
    else next += 1
  }
  return next
}

function skip(lines: readonly Line[], from: number, matches: (line: string) => boolean): number {
  let at = from
  while (at < lines.length && matches(textAt(lines, at))) at += 1
  return at
}

function linesOf(markdown: string): Line[] {
  const lines: Line[] = []
  for (let start = 0; start < markdown.length; ) {
    const end = markdown.indexOf('\n', start)
    const next = end < 0 ? markdown.length : end + 1
    lines.push({ start, text: markdown.slice(start, next).replace(/\r?\n$/, '') })
    start = next
  }
  return lines
}

const textAt = (lines: readonly Line[], at: number): string => lines[at]?.text ?? ''

const startOf = (lines: readonly Line[], at: number, markdown: string): number => lines[at]?.start ?? markdown.length

const isBlank = (line: Line | undefined): boolean => line === undefined || BLANK.test(line.text)
