/** The content of a file as Markdown. */
export interface ParsedDocument {
  readonly title: string
  readonly markdown: string
  readonly mediaType: MediaType
  /** Only the known fields, unchecked: the file may come from any author. */
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
  /** File name or path. Its extension decides the type if the content is ambiguous; its stem is the fallback title. */
  readonly name: string
  readonly mediaType?: string | undefined
  readonly limits?: Partial<Limits> | undefined
}

export interface Limits {
  /** Size of the file. */
  readonly bytes: number
  /** Length of the resulting Markdown. */
  readonly characters: number
  readonly milliseconds: number
}

export const DEFAULT_LIMITS: Limits = { bytes: 20 << 20, characters: 5 << 20, milliseconds: 20_000 }

export type DocumentErrorCode = 'empty' | 'too_large' | 'encrypted' | 'broken' | 'unsupported' | 'timeout'

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
