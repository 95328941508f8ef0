import type { PictureType } from './picture-type.ts'
import type { Warning } from './warning.ts'

/** The content of a file as Markdown. */
export interface ParsedDocument {
  readonly title: string
  readonly markdown: string
  readonly mediaType: MediaType
  /** Only the known fields, unchecked: the file may come from any author. */
  readonly frontMatter?: FrontMatter
  /** Content that was not read, was read by a guess, or was left out. */
  readonly warnings: readonly Warning[]
  /** Files inside this one, such as those of an e-mail. Each becomes a separate document. */
  readonly attachments: readonly Attachment[]
}

export interface Attachment {
  readonly name: string
  readonly mediaType?: string
  readonly bytes: Uint8Array
}

/** The result of a format's reader, which adds its warnings to the collector that it gets. */
export interface FileContent {
  readonly markdown: string
  readonly title?: unknown
  readonly frontMatter?: FrontMatter | undefined
  readonly attachments?: readonly Attachment[]
}

export interface FrontMatter {
  readonly title?: unknown
  readonly classification?: unknown
  readonly regulations?: unknown
  readonly acl?: unknown
}

export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
export const ODT = 'application/vnd.oasis.opendocument.text'
export const ODS = 'application/vnd.oasis.opendocument.spreadsheet'
export const ODP = 'application/vnd.oasis.opendocument.presentation'
export const EPUB = 'application/epub+zip'

/** The types of files that are ZIP archives. */
export type ZipType = typeof DOCX | typeof XLSX | typeof PPTX | typeof ODT | typeof ODS | typeof ODP | typeof EPUB

export const MAIL = 'message/rfc822'
export const NOTEBOOK = 'application/x-ipynb+json'

export type MediaType =
  | 'text/markdown'
  | 'text/html'
  | 'text/plain'
  | 'text/csv'
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/pdf'
  | typeof MAIL
  | typeof NOTEBOOK
  | PictureType
  | ZipType

export interface ParseOptions {
  /** File name or path. Its extension decides the type if the content is ambiguous; its stem is the fallback title. */
  readonly name: string
  readonly mediaType?: string | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Texts of pages that OCR recognised: of a picture, or of all pages of a PDF, of which those without text are read. */
  readonly recognised?: readonly string[] | undefined
}

export interface Limits {
  /** Size of the file. */
  readonly bytes: number
  /** Length of the resulting Markdown. */
  readonly characters: number
  readonly milliseconds: number
}

/** Reading takes about 12 s for a megabyte of text in a PDF, of which there are at most five, and 1 to 4 s for a megabyte of other files. */
const READING_MS = { any: 60_000, megabyte: 4_000 }

/** The time limit for a file of this size. */
export const readingMs = (bytes: number): number => READING_MS.any + Math.ceil(bytes / (1 << 20)) * READING_MS.megabyte

export const DEFAULT_LIMITS: Omit<Limits, 'milliseconds'> = { bytes: 25 << 20, characters: 50 << 20 }

export type DocumentErrorCode = 'empty' | 'too_large' | 'encrypted' | 'broken' | 'unsupported' | 'timeout' | 'ocr_failed'

/** Why a file cannot be read. The message tells the uploader what to do. */
export class DocumentError extends Error {
  readonly code: DocumentErrorCode

  constructor(code: DocumentErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DocumentError'
    this.code = code
  }
}

export const tooMuchText = (characters: number): DocumentError =>
  new DocumentError('too_large', `The file contains more than ${megabytes(characters)} of text. Split it into several files.`)

/** Whole megabytes, or bytes below one megabyte. For messages. */
export const megabytes = (count: number): string => (count >= 1 << 20 ? `${Math.round(count / (1 << 20))} MB` : `${count} bytes`)

export const lockedByPassword = (): DocumentError =>
  new DocumentError('encrypted', 'The file is protected by a password. Save it without a password.')

/** For a parser that failed unexpectedly, such as by a stack overflow. */
export function unreadable(cause: unknown): DocumentError {
  const message = 'The file is damaged, or has a structure that cannot be read. Save it again in a simpler form.'
  return new DocumentError('broken', message, cause)
}
