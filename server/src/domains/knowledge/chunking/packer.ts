import { type Piece, tailOf } from './pieces.ts'

/** A piece of a document that searches return. */
export interface Chunk {
  readonly position: number
  /** The headings that apply to all of its text, outermost first. */
  readonly headings: readonly string[]
  readonly content: string
  /** Sum over its pieces; differs by one or two from the count of the whole text. */
  readonly tokens: number
}

/** A section below this share of the limit shares its chunk with the next section. */
const SMALL = 1 / 4
/** Reserve, because the whole text can have a few tokens more than the sum of its pieces. */
const MARGIN = 0.02

type Prefix = { readonly text: string; readonly tokens: number }

interface Part extends Piece {
  readonly heading: boolean
  readonly prose: boolean
  readonly path: readonly string[]
}

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

  /** Tokens that the next piece may have to fit into a chunk with the pending headings. */
  get room(): number {
    return this.#parts.every((part) => part.heading) ? this.limit - this.#tokens : this.limit - this.#headingTokens()
  }

  /** Starts a section in a new chunk, unless the current chunk is small and also starts with a heading. */
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

  /** Adds the piece to the current chunk, or to a new one if it does not fit. */
  put(piece: Piece, prose: boolean, prefix?: Prefix): void {
    if (this.#tokens + piece.tokens > this.limit) {
      const pending = this.#takeHeadings()
      const overlap = pending.length > 0 || prefix ? [] : this.#tail(this.limit - piece.tokens)
      this.#close()
      if (prefix && pending.length === 0 && prefix.tokens + piece.tokens <= this.limit) {
        this.#prefix = prefix
        this.#tokens = prefix.tokens
      }
      for (const part of [...pending, ...overlap]) this.#keep(part)
    }
    this.#add(piece, false, prose)
  }

  breakIfHalfFull(): void {
    if (this.#tokens <= this.limit / 2 || this.#parts.every((part) => part.heading)) return
    const pending = this.#takeHeadings()
    this.#close()
    for (const part of pending) this.#keep(part)
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
      // Keep the indentation of a first line; drop the space between two sentences.
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

  /** The common prefix of the heading paths of all text in the chunk. */
  #headings(): readonly string[] {
    const text = this.#parts.filter((part) => !part.heading)
    const [first = [], ...others] = (text.length > 0 ? text : this.#parts).map((part) => part.path)
    const differs = first.findIndex((heading, level) => others.some((path) => path[level] !== heading))
    return differs < 0 ? first : first.slice(0, differs)
  }

  /** Removes the headings at the end of the chunk, because they belong to the next piece. */
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

  /** The overlap: whole paragraphs or sentences from the end of the chunk, repeated at the start of the next one. */
  #tail(room: number): Part[] {
    const tail: Part[] = []
    let remaining = Math.min(this.#overlap, room)
    for (let at = this.#parts.length - 1; this.#parts[at]?.prose; at -= 1) {
      const part = this.#parts[at] as Part
      const kept = part.tokens <= remaining ? part : tailOf(this.#markdown, part, remaining)
      if (kept) tail.unshift({ ...part, ...kept })
      if (kept !== part) break
      remaining -= part.tokens
    }
    return tail
  }
}
