import { isJson } from '../../../platform/lib/json.ts'
import {
  DOCX,
  DocumentError,
  EPUB,
  lockedByPassword,
  MAIL,
  type MediaType,
  NOTEBOOK,
  ODP,
  ODS,
  ODT,
  PPTX,
  XLSX,
} from './document.ts'
import { hasFrontMatter } from './formats/front-matter.ts'
import { isNotebook } from './formats/notebook-type.ts'
import { pictureTypeOf } from './picture-type.ts'
import { decodeText } from './text.ts'
import type { Warnings } from './warning.ts'

/** The type of a file, and its text if it is a text file. */
export type Content = { readonly mediaType: MediaType; readonly text?: string }

/** Maps, because objects inherit fields such as `constructor`, and uploaders choose the names. */
const BY_EXTENSION: ReadonlyMap<string, MediaType> = new Map([
  ['md', 'text/markdown'],
  ['mdx', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['xhtml', 'text/html'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['tsv', 'text/csv'],
  ['json', 'application/json'],
  ['jsonl', 'application/x-ndjson'],
  ['ndjson', 'application/x-ndjson'],
  ['pdf', 'application/pdf'],
  ['docx', DOCX],
  ['docm', DOCX],
  ['xlsx', XLSX],
  ['xlsm', XLSX],
  ['pptx', PPTX],
  ['pptm', PPTX],
  ['odt', ODT],
  ['ods', ODS],
  ['odp', ODP],
  ['epub', EPUB],
  ['eml', MAIL],
  ['mht', MAIL],
  ['mhtml', MAIL],
  ['ipynb', NOTEBOOK],
])

const BY_MEDIA_TYPE: ReadonlyMap<string, MediaType> = new Map([
  ...[...BY_EXTENSION.values()].map((type): [string, MediaType] => [type, type]),
  ['application/xhtml+xml', 'text/html'],
  ['text/x-markdown', 'text/markdown'],
  ['text/tab-separated-values', 'text/csv'],
  ['application/jsonl', 'application/x-ndjson'],
  ['application/x-jsonlines', 'application/x-ndjson'],
  ['multipart/related', MAIL],
])

/** Names of the types that are not text. */
const BINARY: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  [DOCX]: 'Word (.docx)',
  [XLSX]: 'Excel (.xlsx)',
  [PPTX]: 'PowerPoint (.pptx)',
  [ODT]: 'OpenDocument (.odt)',
  [ODS]: 'OpenDocument (.ods)',
  [ODP]: 'OpenDocument (.odp)',
  [EPUB]: 'EPUB',
}

/** The first fields of an e-mail, one of which only e-mails have. */
const MAIL_FIELDS = /^(?:[A-Za-z][\w-]{0,60}:.{0,998}\r?\n(?:[ \t].{0,998}\r?\n)*)+/
const MAIL_FIELD = /^(?:MIME-Version|Received|Return-Path|Message-ID|DKIM-Signature):/im

/** First bytes (hexadecimal) of formats that are not supported, with the advice for the uploader. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  // gzip, bzip2, 7-Zip, RAR, xz, Zstandard, tar
  [
    /^(?:1f8b|425a683.314159265359|377abcaf|526172211a07|fd377a585a|28b52ffd|.{514}7573746172)/,
    'an archive. Unpack it and upload the files in it',
  ],
  // {\rtf
  [/^7b5c727466/, 'in Rich Text Format. Save it as .docx or PDF'],
  // %!PS
  [/^25215053/, 'PostScript. Save it as PDF'],
  // MP3, Ogg, FLAC, WAV and AVI, MP4, Matroska
  [
    /^(?:4944330[234]|4f67675300|664c614300|52494646.{8}(?:57415645|41564920)|0000.{4}66747970|1a45dfa3)/,
    'a recording. Upload a transcript',
  ],
  // ELF, Java, Mach-O, WebAssembly
  [/^(?:7f454c46|cafebabe|cffaedfe|0061736d)/, 'a program. Upload a text about it'],
]

/** Detects the type of a file that is no ZIP archive: by the content, then by the file extension, then by the media type that the uploader stated. */
export function detectType(bytes: Uint8Array, name: string, given: string | undefined, warnings: Warnings): Content {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const declared = BY_EXTENSION.get(extension) ?? BY_MEDIA_TYPE.get(given?.split(';')[0]?.trim().toLowerCase() ?? '')

  const pdf = head.indexOf('%PDF-')
  if (pdf >= 0 && (head.slice(0, pdf).trim() === '' || declared === 'application/pdf')) return { mediaType: 'application/pdf' }
  if (head.startsWith('\xd0\xcf\x11\xe0')) throw oldOfficeError(bytes)
  const bytesInHex = Buffer.from(bytes.subarray(0, 512)).toString('hex')
  if (pictureTypeOf(bytes))
    throw new DocumentError('unsupported', 'The file is a picture. Extract its text (OCR) and upload that.')
  for (const [start, description] of REFUSED) {
    if (start.test(bytesInHex)) throw new DocumentError('unsupported', `The file is ${description}.`)
  }

  if (declared === MAIL || isMail(head)) return { mediaType: MAIL }
  const text = decodeText(bytes, /charset="?([\w-]+)/i.exec(given ?? '')?.[1], warnings)
  const binary = BINARY[declared ?? '']
  if (text !== undefined) {
    const mediaType = detectTextType(text) ?? declared ?? 'text/plain'
    if (!(mediaType in BINARY)) return { mediaType, text }
  }
  if (binary !== undefined) {
    throw new DocumentError('broken', `The file is not a valid ${binary} file. Save it again from the program that created it.`)
  }
  throw new DocumentError(
    'unsupported',
    'The file type is not supported. Use Markdown, HTML, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, text, CSV, JSON, e-mail (.eml) or notebooks (.ipynb).',
  )
}

const isMail = (head: string): boolean => MAIL_FIELD.test(MAIL_FIELDS.exec(head)?.[0] ?? '')

function detectTextType(text: string): MediaType | undefined {
  const start = text.slice(0, 4096).trimStart()
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html)[\s>]/is.test(start)) return 'text/html'
  if (hasFrontMatter(text)) return 'text/markdown'
  if (!/^[[{]/.test(start)) return undefined
  if (isJson(text)) return isNotebook(text) ? NOTEBOOK : 'application/json'
  const lines = text.split('\n', 100).filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.slice(0, 2).every((line) => line.startsWith('{') && isJson(line))
    ? 'application/x-ndjson'
    : undefined
}

function oldOfficeError(bytes: Uint8Array): DocumentError {
  const encrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  )
  return encrypted
    ? lockedByPassword()
    : new DocumentError('unsupported', 'The file has an old Office format. Save it as .docx, .xlsx, .pptx or PDF.')
}
