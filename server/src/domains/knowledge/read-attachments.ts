import { type Failure, keyProblem } from './document.ts'
import { type Attachment, DocumentError } from './parsing/document.ts'
import type { Warning } from './parsing/warning.ts'
import { type DocumentContent, hashOf, type ReadDeps, readDocument } from './read-document.ts'

/** Attachments of attachments of attachments. */
const MAX_DEPTH = 3
/** In all depths together. */
const MAX_ATTACHMENTS = 100

/** A file inside of a document. */
export interface Attached {
  /** Below the key of the document: `mail.eml/offer.pdf`. */
  readonly key: string
  readonly bytes: number
  readonly contentHash: string
  readonly mediaType: string | undefined
  readonly result: DocumentContent | { readonly failure: Omit<Failure, 'at'> }
}

/** The content of a file, and the files inside of it. */
export interface ReadContent {
  readonly content: DocumentContent
  readonly attached: readonly Attached[]
}

interface Reading {
  readonly attached: Attached[]
  /** Attachments of no known format, and those beyond the limits. */
  readonly unread: Warning[]
}

/** Reads the files inside of a document, and those inside of them. Throws errors that the files did not cause. */
export async function readAttachments(key: string, attachments: readonly Attachment[], deps: ReadDeps): Promise<Reading> {
  const reading: Reading = { attached: [], unread: [] }
  await readInto(reading, { key, attachments, depth: 1 }, deps)
  return reading
}

async function readInto(
  reading: Reading,
  { key: parent, attachments, depth }: { key: string; attachments: readonly Attachment[]; depth: number },
  deps: ReadDeps,
): Promise<void> {
  const names = new Set<string>()
  for (const { name: given, mediaType, bytes } of attachments) {
    const name = uniqueName(given, names)
    const key = `${parent}/${name}`
    const isBeyond = depth > MAX_DEPTH || reading.attached.length >= MAX_ATTACHMENTS
    const result = isBeyond || keyProblem(key) !== undefined ? undefined : await readOne({ bytes, name, mediaType }, deps)
    if (result === undefined) {
      reading.unread.push({ kind: 'attachment', detail: name, count: 1 })
      continue
    }
    reading.attached.push({ key, bytes: bytes.length, contentHash: hashOf(bytes), mediaType, result })
    if ('chunks' in result) await readInto(reading, { key, attachments: result.attachments, depth: depth + 1 }, deps)
  }
}

/** Undefined: the format is not known. */
async function readOne(file: Parameters<typeof readDocument>[0], deps: ReadDeps): Promise<Attached['result'] | undefined> {
  try {
    return await readDocument(file, deps)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return error.code === 'unsupported' ? undefined : { failure: { code: error.code, message: error.message } }
  }
}

/** The name without folders and control characters. The second one of a name is `plan (2).pdf`. */
function uniqueName(given: string, names: Set<string>): string {
  const name =
    given
      .replace(/.*[/\\]/s, '')
      .replace(/[\p{Cc}\p{Cs}]/gu, '')
      .trim()
      .slice(-200)
      .toWellFormed() || 'attachment'
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]{1,10})?$/.exec(name) ?? []
  let unique = name
  for (let count = 2; names.has(unique); count += 1) unique = `${stem} (${count})${extension}`
  names.add(unique)
  return unique
}
