import { isObject, textOf } from '../platform/lib/untrusted-json.ts'
import { readEncoded } from './encoded-text.ts'
import type { UnreadKind } from './unread.ts'

type Fields = Readonly<Record<string, unknown>>

interface FileField {
  readonly field: string
  /** The field may hold base64 without `data:`. */
  readonly bare: boolean
  readonly kind: UnreadKind
}

/** The field with the bytes of a content part, by the part's type. */
const FILE_FIELDS: Readonly<Record<string, FileField>> = {
  image_url: { field: 'url', bare: false, kind: 'image' },
  input_audio: { field: 'data', bare: true, kind: 'audio' },
  file: { field: 'file_data', bare: true, kind: 'file' },
}

/** The field with the bytes of a content part of this type; undefined: a type without such a field. */
export const fileFieldOf = (type: string): FileField | undefined =>
  Object.hasOwn(FILE_FIELDS, type) ? FILE_FIELDS[type] : undefined

/** The fields of a content part that may contain a file, and their encoding. */
function fileFields(part: Fields): readonly { readonly path: string; readonly value: string; readonly bare: boolean }[] {
  const kind = textOf(part.type)
  const bytes = fileFieldOf(kind)
  const inner = part[kind]
  const value = bytes && isObject(inner) ? inner[bytes.field] : inner
  if (!bytes || typeof value !== 'string') return []
  return [{ path: isObject(inner) ? `${kind}.${bytes.field}` : kind, value, bare: bytes.bare }]
}

/** The problem of a file that is declared as text and cannot be decoded; undefined: none. */
export function unreadableFile(part: unknown): { readonly path: string; readonly message: string } | undefined {
  for (const { path, value, bare } of isObject(part) ? fileFields(part) : []) {
    const encoded = readEncoded(value, bare)
    if (encoded.kind === 'broken') return { path, message: encoded.message }
  }
  return undefined
}
