import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { addCounts, type FindingCounts } from '../../shared/finding.ts'
import { countText } from '../retrieval/entries.ts'
import type { Language } from '../retrieval/language.ts'
import { writtenLanguageOf } from '../retrieval/written-language.ts'
import { type NewChunk, searchEntry } from './chunk-store.ts'
import type { Chunk } from './chunking/chunk.ts'
import { type Flags, flagsOf } from './document.ts'
import { frontMatterLabels } from './label-fields.ts'
import type { Labels } from './labels.ts'
import type { Ocr } from './ocr.ts'
import { type Attachment, DocumentError, type ParsedDocument, type ParseOptions } from './parsing/document.ts'
import { chunkDocument, parseDocument } from './parsing/parser-pool.ts'
import { pictureTypeOf } from './parsing/picture-type.ts'
import type { Warning } from './parsing/warning.ts'

/** Counts the findings in a text. Throws if a detector fails. */
export type ScanText = (text: string) => FindingCounts

export interface ReadDeps {
  readonly scanText: ScanText
  /** Of the collection. */
  readonly language: Language
  /** Undefined: the text of pictures is not read. */
  readonly ocr?: Ocr | undefined
  /** Called when the text of the file is read, before it is scanned and indexed. */
  readonly onParsed?: () => Promise<unknown>
}

export interface DocumentFile {
  readonly bytes: Uint8Array
  /** File name or path. Its extension decides the type if the content is ambiguous. */
  readonly name: string
  readonly mediaType?: string | undefined
  /** Default: the file's own title. */
  readonly title?: string | undefined
  /** Default: the language that the text shows, or that of the collection. */
  readonly language?: Language | undefined
}

/** The content of a document in its stored form. */
export interface DocumentContent {
  readonly title: string
  readonly mediaType: string
  /** Given, or shown by the text; null: that of the collection. */
  readonly language: Language | null
  /** From its front matter. */
  readonly limits: Labels
  /** Never empty. */
  readonly chunks: readonly NewChunk[]
  readonly flags: Flags | null
  readonly warnings: readonly Warning[]
  readonly attachments: readonly Attachment[]
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Characters at the beginning of a text that show its language. */
const SHOWS_LANGUAGE = 10_000

/** Parses, chunks and scans a file. Throws a DocumentError if it cannot be read. */
export async function readDocument(
  { bytes, name, mediaType, title, language: given }: DocumentFile,
  { scanText, language: expected, ocr, onParsed }: ReadDeps,
): Promise<DocumentContent> {
  const parsed = await parseWithOcr(bytes, { name, mediaType }, ocr)
  await onParsed?.()
  const document = { title: title ?? toStorable(parsed.title), markdown: toStorable(parsed.markdown) }
  const limits = frontMatterLabels(parsed.frontMatter)
  const chunks = await chunkDocument(document.markdown)
  if (chunks.length === 0)
    throw new DocumentError('empty', 'The file contains no text. Leave it out, or export it with its text.')
  const warnings = parsed.warnings.map(storableWarning)
  const language = given ?? writtenLanguageOf(document.markdown.slice(0, SHOWS_LANGUAGE), expected) ?? null
  const scanned = await scanChunks(document.title, chunks, { scanText, language: language ?? expected })
  return {
    ...{ title: document.title, mediaType: parsed.mediaType, language, limits, warnings },
    ...{ attachments: parsed.attachments, ...scanned },
  }
}

/** Parses a file, and again with the recognised text if it is a picture or a PDF with pages that have no text. */
async function parseWithOcr(bytes: Uint8Array, options: ParseOptions, ocr: Ocr | undefined): Promise<ParsedDocument> {
  if (!ocr) return parseDocument(bytes, options)
  const picture = pictureTypeOf(bytes)
  if (picture) return parseDocument(bytes, { ...options, recognised: await ocr({ bytes, mediaType: picture }) })
  const parsed = await parseDocument(bytes, options).catch((error) => {
    if (error instanceof DocumentError && error.code === 'empty' && isPdf(bytes)) return undefined
    throw error
  })
  if (parsed && !(parsed.mediaType === PDF && parsed.warnings.some(({ kind }) => kind === 'page_without_text'))) return parsed
  return parseDocument(bytes, { ...options, recognised: await ocr({ bytes, mediaType: PDF }) })
}

const PDF = 'application/pdf'
const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')

/** Flags each chunk with findings, and counts its terms. Findings in the title flag every chunk, because the title is shown with each of them. */
async function scanChunks(
  title: string,
  chunks: readonly Chunk[],
  { scanText, language }: Pick<ReadDeps, 'scanText' | 'language'>,
): Promise<Pick<DocumentContent, 'chunks' | 'flags'>> {
  let counts = scanText(title)
  const titleFlags = flagsOf(counts)
  const scanned: NewChunk[] = []
  for (const chunk of chunks) {
    const chunkCounts = scanText([...chunk.headings, chunk.content].join('\n'))
    counts = addCounts(counts, chunkCounts)
    const counted = countText(searchEntry(title, { ...chunk, id: '' }), language)
    scanned.push({ ...chunk, flagged: (titleFlags ?? flagsOf(chunkCounts)) !== null, counted })
    // A book has thousands of chunks: other requests are served in between.
    await setImmediate()
  }
  return { chunks: scanned, flags: flagsOf(counts) }
}

const storableWarning = ({ place, detail, ...warning }: Warning): Warning => ({
  ...warning,
  ...(place !== undefined && { place: toStorable(place) }),
  ...(detail !== undefined && { detail: toStorable(detail) }),
})

/** PostgreSQL stores neither U+0000 nor unpaired surrogates. */
const toStorable = (text: string): string => text.toWellFormed().replaceAll('\0', '')
