import { type Block, blocksOf } from './blocks.ts'
import { type Chunk, Packer } from './packer.ts'
import { piecesOf } from './pieces.ts'
import { countTokens } from './tokens.ts'

export type { Chunk } from './packer.ts'

const MIN_LIMIT = 16

/**
 * Splits a document by its structure: small sections share a chunk, and blocks are split only if they exceed a chunk. A chunk is an
 * exact range of the Markdown. A chunk that starts within a section repeats the last sentences of the previous chunk; a chunk that
 * starts within a table repeats the table's header.
 */
export function chunkMarkdown(
  markdown: string,
  options: { readonly maxTokens?: number; readonly overlapTokens?: number } = {},
): Chunk[] {
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

/** A split table repeats its header, unless the header fills half a chunk. */
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
