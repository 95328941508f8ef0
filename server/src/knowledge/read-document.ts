import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { addCounts, type FindingCounts } from '../domain/finding.ts'
import type { ReadChunk } from './chunk-store.ts'
import type { Chunk } from './chunking/chunk.ts'
import { type Flags, flagsOf } from './document.ts'
import { labelsInside } from './front-matter.ts'
import type { Labels } from './labels.ts'
import { DocumentError } from './parsing/document.ts'
import { chunkDocument, parseDocument } from './parsing/parse.ts'

/** What is found in a text. Throws where a detector fails. */
export type ScanText = (text: string) => FindingCounts

export interface DocumentFile {
  readonly bytes: Uint8Array
  /** File name or path: its ending says what it is where its content leaves a doubt. */
  readonly name: string
  readonly mediaType?: string | undefined
  /** Default: the one that the file gives itself. */
  readonly title?: string | undefined
}

/** A document as it is going to be stored. */
export interface Reading {
  readonly title: string
  readonly mediaType: string
  /** From its front matter. */
  readonly limits: Labels
  /** Never empty. */
  readonly chunks: readonly ReadChunk[]
  readonly flags: Flags | null
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Parses, cuts and scans a file. Throws a DocumentError for one that cannot be read. */
export async function readDocument({ bytes, name, mediaType, title }: DocumentFile, scanText: ScanText): Promise<Reading> {
  const parsed = await parseDocument(bytes, { name, mediaType })
  const document = { title: title ?? storable(parsed.title), markdown: storable(parsed.markdown) }
  const limits = labelsInside(parsed.frontMatter)
  const chunks = await chunkDocument(document)
  if (chunks.length === 0) throw new DocumentError('empty', 'The file holds no text. Leave it out, or export it with its text.')
  return { title: document.title, mediaType: parsed.mediaType, limits, ...(await flagged(document.title, chunks, scanText)) }
}

/** Each chunk that holds instructions is flagged; what is in the title counts for all of them, since they are shown under it. */
async function flagged(title: string, chunks: readonly Chunk[], scanText: ScanText): Promise<Pick<Reading, 'chunks' | 'flags'>> {
  let counts = scanText(title)
  const titleFlags = flagsOf(counts)
  const read: ReadChunk[] = []
  for (const chunk of chunks) {
    const found = scanText([...chunk.headings, chunk.content].join('\n'))
    counts = addCounts(counts, found)
    read.push({ ...chunk, flagged: (titleFlags ?? flagsOf(found)) !== null })
    // A book has thousands: requests get their turn in between.
    await setImmediate()
  }
  return { chunks: read, flags: flagsOf(counts) }
}

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '')
