import { type Fields, isObject, textOf } from '../platform/lib/untrusted-json.ts'
import { readEncoded } from './encoded-text.ts'
import type { UnreadKind } from './unread.ts'

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

export const fileFieldOf = (type: string): FileField | undefined =>
  Object.hasOwn(FILE_FIELDS, type) ? FILE_FIELDS[type] : undefined

function fileFields(part: Fields): readonly { readonly path: string; readonly value: string; readonly bare: boolean }[] {
  const kind = textOf(part.type)
  const bytes = fileFieldOf(kind)
  const inner = part[kind]
  const value = bytes && isObject(inner) ? inner[bytes.field] : inner
  if (!bytes || typeof value !== 'string') return []
  return [{ path: isObject(inner) ? `${kind}.${bytes.field}` : kind, value, bare: bytes.bare }]
}

export function unreadableFile(part: unknown): { readonly path: string; readonly message: string } | undefined {
  for (const { path, value, bare } of isObject(part) ? fileFields(part) : []) {
    const encoded = readEncoded(value, bare)
    if (encoded.kind === 'broken') return { path, message: encoded.message }
  }
  return undefined
}

/** Fields with signed or encrypted state of providers: Gemini, Anthropic, OpenRouter, OpenAI. */
const SIGNATURE_FIELDS: ReadonlySet<string> = new Set(['thought_signature', 'thoughtSignature', 'signature', 'encrypted_content'])
/** Base64, either alphabet. Another value under these names is scanned like any text. */
const OPAQUE = /^[A-Za-z0-9+/_-]{24,}={0,2}$/

/**
 * Whether a field has state that only its provider can decode, and must get back unchanged. It counts as unread, like the bytes of a picture;
 * its letters are scanned like any text, because a user could put an API key there.
 */
export function isOpaque(owner: Fields, name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const isSignature = SIGNATURE_FIELDS.has(name) || (name === 'data' && owner.type === 'reasoning.encrypted')
  return isSignature && OPAQUE.test(value)
}
