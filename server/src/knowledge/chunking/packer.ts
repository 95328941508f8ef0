import { type Piece, tailOf } from './pieces.ts'

/** A part of a document that is found and quoted by itself. */
export interface Chunk {
  readonly position: number
  /** The headings above all of it, the outermost first. */
  readonly headings: readonly string[]
  readonly content: string
  /** Counted piece by piece: one or two off a count of the whole. */
  readonly tokens: number
}

/** Below this share of the limit a section is too small to stand alone, and the next one joins it. */
const SMALL = 1 / 4
/** Counts are sums over pieces; the whole can come out a few tokens higher. */
const MARGIN = 0.02

interface Prefix {
  readonly text: string
  readonly tokens: number
}

interface Part extends Piece {
  readonly heading: boolean
  readonly prose: boolean
  readonly path: readonly string[]
}

/** Fills chunks with pieces, in the order of the document. */
export class Packer {
  readonly limit: number
  readonly #markdown: string
  readonly #overlap: number
  readonly #chunks: Chunk[] = []
  #path: { level: number; heading: string }[] = []
  #prefix: Prefix | undefined
  #parts: Part[] = []
  #tokens = 0

  constructor(markdown: string, limit: number, overlap: number) {
    this.limit = limit - Math.max(2, Math.ceil(limit * MARGIN))
    this.#markdown = markdown
    this.#overlap = overlap
  }

  /** What the next piece may have and still stand under the headings that wait for it. */
  get room(): number {
    return this.#parts.every((part) => part.heading) ? this.limit - this.#tokens : this.limit - this.#headingTokens()
  }

  /** A new section begins: a chunk of its own, unless the one so far is small and begins with a heading, too. */
  section(level: number, heading: string): void {
    const small = this.#tokens < this.limit * SMALL && (this.#parts[0]?.heading ?? true)
    const onlyHeadings = this.#parts.every((part) => part.heading) && this.#tokens < this.limit / 2
    if (!small && !onlyHeadings) this.#close()
    this.#path = [...this.#path.filter((above) => above.level < level), { level, heading }]
  }

  putHeading(piece: Piece): void {
    if (this.#tokens + piece.tokens > this.limit) this.#close()
    this.#add(piece, true, false)
  }

  /** Adds the piece to the chunk, or begins a new one with it. */
  put(piece: Piece, prose: boolean, prefix?: Prefix): void {
    if (this.#tokens + piece.tokens > this.limit) {
      const waiting = this.#takeHeadings()
      const overlap = waiting.length > 0 || prefix ? [] : this.#tail(this.limit - piece.tokens)
      this.#close()
      if (prefix && waiting.length === 0 && prefix.tokens + piece.tokens <= this.limit) {
        this.#prefix = prefix
        this.#tokens = prefix.tokens
      }
      for (const part of [...waiting, ...overlap]) this.#keep(part)
    }
    this.#add(piece, false, prose)
  }

  breakIfHalfFull(): void {
    if (this.#tokens <= this.limit / 2 || this.#parts.every((part) => part.heading)) return
    const waiting = this.#takeHeadings()
    this.#close()
    for (const part of waiting) this.#keep(part)
  }

  finish(): Chunk[] {
    this.#close()
    return this.#chunks
  }

  #add(piece: Piece, heading: boolean, prose: boolean): void {
    this.#keep({ ...piece, heading, prose, path: this.#path.map((above) => above.heading).filter((text) => text !== '') })
  }

  #keep(part: Part): void {
    this.#parts.push(part)
    this.#tokens += part.tokens
  }

  #close(): void {
    const [first, last] = [this.#parts[0], this.#parts.at(-1)]
    if (first && last) {
      const text = this.#markdown.slice(first.start, last.end).trimEnd()
      const whole = first.start === 0 || this.#markdown[first.start - 1] === '\n'
      // The indentation of a first line means something, the space between two sentences does not.
      const content = whole ? text.replace(/^(?:[ \t\r]*\n)+/, '') : text.trimStart()
      if (content.trim() !== '') {
        const position = this.#chunks.length
        this.#chunks.push({
          position,
          headings: this.#headings(),
          content: (this.#prefix?.text ?? '') + content,
          tokens: this.#tokens,
        })
      }
    }
    this.#parts = []
    this.#tokens = 0
    this.#prefix = undefined
  }

  /** What the paths of all text in the chunk begin with. */
  #headings(): readonly string[] {
    const text = this.#parts.filter((part) => !part.heading)
    const [first = [], ...others] = (text.length > 0 ? text : this.#parts).map((part) => part.path)
    const differs = first.findIndex((heading, level) => others.some((path) => path[level] !== heading))
    return differs < 0 ? first : first.slice(0, differs)
  }

  /** Headings at the end of the chunk belong to what comes next. */
  #takeHeadings(): Part[] {
    let from = this.#parts.length
    while (this.#parts[from - 1]?.heading) from -= 1
    const headings = this.#parts.splice(from)
    for (const part of headings) this.#tokens -= part.tokens
    return headings
  }

  #headingTokens(): number {
    let tokens = 0
    for (let at = this.#parts.length - 1; this.#parts[at]?.heading; at -= 1) tokens += this.#parts[at]?.tokens ?? 0
    return tokens
  }

  /** Whole paragraphs or sentences from the end of the chunk, to open the next one. */
  #tail(room: number): Part[] {
    const tail: Part[] = []
    let left = Math.min(this.#overlap, room)
    for (let at = this.#parts.length - 1; this.#parts[at]?.prose; at -= 1) {
      const part = this.#parts[at] as Part
      const kept = part.tokens <= left ? part : tailOf(this.#markdown, part, left)
      if (kept) tail.unshift({ ...part, ...kept })
      if (kept !== part) break
      left -= part.tokens
    }
    return tail
  }
}
