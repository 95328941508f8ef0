import { GatehouseError } from '../errors.ts'

/** Each data: URL is decoded and scanned as a text of its own, which takes longer than the rest of its text. */
const MAX_DATA_URLS = 8_192
const TOO_MANY = `Texts must not hold more than ${MAX_DATA_URLS} data: URLs together. Send files as content parts, or in several requests.`

/** A function to call for each data: URL inside the texts of a request. Throws a GatehouseError (413) if there are too many. */
export function countDataUrls(): () => void {
  let count = 0
  return () => {
    if (++count > MAX_DATA_URLS) throw new GatehouseError('PAYLOAD_TOO_LARGE', { message: TOO_MANY })
  }
}

const SCHEME = /data:/gi
const MIN_LENGTH = MAX_DATA_URLS * 'data:,'.length

/** Whether the texts in this JSON may hold too many data: URLs. */
export function holdsManyDataUrls(json: string): boolean {
  if (json.length < MIN_LENGTH) return false
  let left = MAX_DATA_URLS
  for (const _ of json.matchAll(SCHEME)) if (left-- === 0) return true
  return false
}
