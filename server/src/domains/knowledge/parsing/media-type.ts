import { isJson } from '../../../platform/lib/json.ts'
import { DOCX, DocumentError, lockedByPassword, type MediaType } from './document.ts'
import { hasFrontMatter } from './formats/front-matter.ts'
import { decodeText } from './text.ts'

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
])

const BY_MEDIA_TYPE: ReadonlyMap<string, MediaType> = new Map([
  ...[...BY_EXTENSION.values()].map((type): [string, MediaType] => [type, type]),
  ['application/xhtml+xml', 'text/html'],
  ['text/x-markdown', 'text/markdown'],
  ['text/tab-separated-values', 'text/csv'],
  ['application/jsonl', 'application/x-ndjson'],
  ['application/x-jsonlines', 'application/x-ndjson'],
])

/** First bytes (hexadecimal) of formats that are not supported, with the advice for the uploader. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  // PNG, JPEG, GIF, TIFF, WebP
  [
    /^(?:89504e47|ffd8ff|474946383[79]61|49492a00|4d4d002a|52494646.{8}57454250)/,
    'a picture. Extract its text (OCR) and upload that',
  ],
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

/** Detects the type by the content, then by the file extension, then by the media type that the uploader stated. */
export function detectType(bytes: Uint8Array, name: string, given: string | undefined): Content {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const declared = BY_EXTENSION.get(extension) ?? BY_MEDIA_TYPE.get(given?.split(';')[0]?.trim().toLowerCase() ?? '')

  const pdf = head.indexOf('%PDF-')
  if (pdf >= 0 && (head.slice(0, pdf).trim() === '' || declared === 'application/pdf')) return { mediaType: 'application/pdf' }
  if (head.startsWith('PK\x03\x04')) return { mediaType: detectZipType(bytes) }
  if (head.startsWith('\xd0\xcf\x11\xe0')) throw oldOfficeError(bytes)
  const bytesInHex = Buffer.from(bytes.subarray(0, 512)).toString('hex')
  for (const [start, description] of REFUSED) {
    if (start.test(bytesInHex)) throw new DocumentError('unsupported', `The file is ${description}.`)
  }

  const text = decodeText(bytes, /charset="?([\w-]+)/i.exec(given ?? '')?.[1])
  const binary = declared === 'application/pdf' || declared === DOCX
  if (text !== undefined) {
    const mediaType = detectTextType(text) ?? declared ?? 'text/plain'
    if (mediaType !== 'application/pdf' && mediaType !== DOCX) return { mediaType, text }
  }
  if (binary) {
    const kind = declared === DOCX ? 'Word (.docx)' : 'PDF'
    throw new DocumentError('broken', `The file is not a valid ${kind} file. Save it again from the program that created it.`)
  }
  throw new DocumentError(
    'unsupported',
    'The file type is not supported. Use Markdown, HTML, PDF, Word (.docx), text, CSV or JSON.',
  )
}

function detectTextType(text: string): MediaType | undefined {
  const start = text.slice(0, 4096).trimStart()
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html)[\s>]/is.test(start)) return 'text/html'
  if (hasFrontMatter(text)) return 'text/markdown'
  if (!/^[[{]/.test(start)) return undefined
  if (isJson(text)) return 'application/json'
  const lines = text.split('\n', 100).filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.slice(0, 2).every((line) => line.startsWith('{') && isJson(line))
    ? 'application/x-ndjson'
    : undefined
}

function detectZipType(bytes: Uint8Array): MediaType {
  // A ZIP file contains the names of its entries uncompressed.
  const names = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (names.includes('word/')) return DOCX
  if (names.includes('xl/')) throw new DocumentError('unsupported', 'The file is a spreadsheet. Save each sheet as CSV.')
  if (names.includes('ppt/')) throw new DocumentError('unsupported', 'The file is a presentation. Save it as PDF.')
  throw new DocumentError('unsupported', 'The file is an archive. Unpack it and upload the files in it.')
}

function oldOfficeError(bytes: Uint8Array): DocumentError {
  const encrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  )
  return encrypted
    ? lockedByPassword()
    : new DocumentError('unsupported', 'The file has an old Office format. Save it as .docx or PDF.')
}
