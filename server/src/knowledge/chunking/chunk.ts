import { type Block, blocksOf } from './blocks.ts'
import { type Chunk, Packer } from './packer.ts'
import { piecesOf } from './pieces.ts'
import { countTokens } from './tokens.ts'

export type { Chunk } from './packer.ts'

export interface ChunkOptions {
  readonly maxTokens?: number
  readonly overlapTokens?: number
}

const MIN_LIMIT = 16

/**
 * Cuts a document along its structure: sections apart unless they are small, blocks whole unless they are larger than a chunk.
 * A chunk is an exact stretch of the Markdown; one that begins within a section opens with the last sentences of the one
 * before it, one that begins within a table with the table's header.
 */
export function chunkMarkdown(
  document: { readonly title: string; readonly markdown: string },
  options: ChunkOptions = {},
): Chunk[] {
  const { markdown } = document
  const limit = Math.max(MIN_LIMIT, options.maxTokens ?? 400)
  const packer = new Packer(markdown, limit, Math.min(options.overlapTokens ?? 80, Math.floor(limit / 2)))
  for (const block of blocksOf(markdown)) {
    if (block.kind === 'heading') putHeading(packer, markdown, block)
    else if (block.kind === 'table') putTable(packer, markdown, block)
    else for (const piece of piecesOf(markdown, block, packer.room)) packer.put(piece, block.kind !== 'code')
  }
  return packer.finish()
}

function putHeading(packer: Packer, markdown: string, block: Block): void {
  const tokens = countTokens(markdown.slice(block.start, block.end))
  packer.section(block.level, block.heading)
  if (tokens <= packer.room / 2) packer.putHeading({ start: block.start, end: block.end, tokens })
  else for (const piece of piecesOf(markdown, block, packer.room)) packer.put(piece, true)
}

/** A table that has to be cut repeats its header, unless the header alone is half a chunk. */
function putTable(packer: Packer, markdown: string, block: Block): void {
  const header = /^[^\n]*\n[^\n]*\n/.exec(markdown.slice(block.start, block.end))?.[0] ?? ''
  const headerTokens = countTokens(header)
  const repeats = headerTokens <= packer.limit / 2
  const [whole, ...more] = piecesOf(markdown, block, packer.room)
  if (!whole) return
  if (more.length === 0) {
    packer.put(whole, false)
    return
  }
  const rows = repeats ? piecesOf(markdown, block, Math.min(packer.room, packer.limit - headerTokens)) : [whole, ...more]
  packer.breakIfHalfFull()
  const bodyStart = block.start + header.length
  for (const piece of rows) {
    const prefix = repeats && piece.start >= bodyStart ? { text: header, tokens: headerTokens } : undefined
    packer.put(piece, false, prefix)
  }
}
