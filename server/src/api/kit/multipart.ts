import { isUtf8 } from 'node:buffer'
import type { FormPair } from './form-decoder.ts'

export type ParsedMultipart =
  | { readonly ok: true; readonly pairs: readonly FormPair[] }
  | { readonly ok: false; readonly problem: string; readonly param?: string }

const MALFORMED = { ok: false, problem: 'The body must be a well-formed, complete multipart form with a boundary.' } as const

/** The text fields of a `multipart/form-data` body without files, in order (RFC 7578). Never rejects. */
export async function parseMultipart(bytes: Buffer, contentType: string): Promise<ParsedMultipart> {
  const form = await readForm(bytes, contentType).catch(() => undefined)
  if (!form) return MALFORMED
  const pairs: FormPair[] = []
  for (const [name, value] of form) {
    if (typeof value !== 'string') {
      return { ok: false, problem: `${name}: must not be a file. Upload files with POST /v1/attachments.`, param: name }
    }
    pairs.push({ name, value })
  }
  // `formData` replaces invalid bytes silently.
  return isUtf8(bytes) ? { ok: true, pairs } : { ok: false, problem: 'The form is not UTF-8.' }
}

const readForm = async (bytes: Buffer, contentType: string): Promise<FormData> =>
  new Response(bytes as Buffer<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData()
