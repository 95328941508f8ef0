/** What a file says, as Markdown. */
export interface ParsedDocument {
  readonly title: string
  readonly markdown: string
  readonly mediaType: MediaType
  /** ISO 639-1, where the file names its language. */
  readonly language?: string
  /** Only what the ingest knows, and unchecked: anybody may have written it. */
  readonly frontMatter?: FrontMatter
}

export interface FrontMatter {
  readonly title?: unknown
  readonly classification?: unknown
  readonly regulations?: unknown
  readonly acl?: unknown
}

export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

export type MediaType =
  | 'text/markdown'
  | 'text/html'
  | 'text/plain'
  | 'text/csv'
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/pdf'
  | typeof DOCX

export interface ParseOptions {
  /** File name or path; its ending counts where the content leaves a doubt, its stem is the title of last resort. */
  readonly name: string
  readonly mediaType?: string | undefined
  readonly limits?: Partial<Limits> | undefined
}

export interface Limits {
  /** Of the file. */
  readonly bytes: number
  /** Of the text that comes out, in characters. */
  readonly characters: number
  readonly milliseconds: number
}

export const DEFAULT_LIMITS: Limits = { bytes: 20 << 20, characters: 5 << 20, milliseconds: 20_000 }

export type DocumentErrorCode = 'empty' | 'too_large' | 'encrypted' | 'broken' | 'unsupported' | 'timeout'

/** Why a file cannot be read. The message is for whoever uploaded it, and says what to do. */
export class DocumentError extends Error {
  readonly code: DocumentErrorCode

  constructor(code: DocumentErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DocumentError'
    this.code = code
  }
}

export function tooMuchText(characters: number): DocumentError {
  return new DocumentError('too_large', `The file holds more than ${megabytes(characters)} of text. Split it into several files.`)
}

/** For messages: whole megabytes, or what there is. */
export function megabytes(count: number): string {
  return count >= 1 << 20 ? `${Math.round(count / (1 << 20))} MB` : `${count} bytes`
}

/** A reader gave up on something that it was not made for, as a stack too deep for it. */
export function unreadable(cause: unknown): DocumentError {
  return new DocumentError(
    'broken',
    'The file is damaged, or built in a way that cannot be read. Save it anew, in a simpler form.',
    cause,
  )
}
