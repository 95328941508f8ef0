import type { FormPair } from './form-decoder.ts'

export type ParsedMultipart =
  | { readonly ok: true; readonly pairs: readonly FormPair[] }
  | { readonly ok: false; readonly problem: string; readonly param?: string }

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";]{1,70}))/i
const NAME = /;\s*name="([^"\r\n]*)"/i
const FILENAME = /;\s*filename\*?=/i
const HEADERS_END = Buffer.from('\r\n\r\n')
const MAX_HEADER_BYTES = 4_096
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const MALFORMED = { ok: false, problem: 'The body must be a well-formed multipart form, whole and with a boundary.' } as const

/** The texts of a `multipart/form-data` body without files, in their order (RFC 7578). Linear in the body's length; never throws. */
export function parseMultipart(bytes: Buffer, contentType: string): ParsedMultipart {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return MALFORMED
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // A line end before the first boundary may be missing.
  const body = Buffer.concat([Buffer.from('\r\n'), bytes])
  const pairs: FormPair[] = []
  let at = body.indexOf(delimiter)
  for (;;) {
    if (at < 0) return MALFORMED
    const start = at + delimiter.length
    if (body.subarray(start, start + 2).toString('latin1') === '--') return { ok: true, pairs }
    const next = body.indexOf(delimiter, start)
    if (next < 0) return MALFORMED
    const part = readPart(body.subarray(start, next))
    if ('problem' in part) return part
    pairs.push(part)
    at = next
  }
}

/** One part: `\r\n`, headers, an empty line, the text. */
function readPart(part: Buffer): FormPair | Extract<ParsedMultipart, { ok: false }> {
  const end = part.subarray(0, MAX_HEADER_BYTES).indexOf(HEADERS_END)
  if (end < 0) return MALFORMED
  try {
    const headers = decoder.decode(part.subarray(0, end)).split('\r\n')
    const disposition = headers.find((header) => /^content-disposition:\s*form-data/i.test(header))
    const [, name] = NAME.exec(disposition ?? '') ?? []
    if (disposition === undefined || name === undefined) return MALFORMED
    if (FILENAME.test(disposition))
      return { ok: false, problem: `${name}: is a file; files are uploaded with POST /v1/attachments.`, param: name }
    // Forms escape three characters of a name, and nothing else.
    const field = name.replace(/%(?:22|0D|0A)/gi, decodeURIComponent)
    return { name: field, value: decoder.decode(part.subarray(end + HEADERS_END.length)) }
  } catch {
    return { ok: false, problem: 'The form is not UTF-8.' }
  }
}
