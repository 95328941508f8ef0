type Fields = Readonly<Record<string, unknown>>

/** Fields with signed or encrypted state of providers: Gemini, Anthropic, OpenRouter, OpenAI. */
const SIGNATURE_FIELDS: ReadonlySet<string> = new Set(['thought_signature', 'thoughtSignature', 'signature', 'encrypted_content'])
/** Base64, either alphabet. Another value under these names is scanned like any text. */
const OPAQUE = /^[A-Za-z0-9+/_-]{24,}={0,2}$/

/**
 * Whether a field contains state that only its provider can decode. It must come back unchanged in the next turn. Its content counts as
 * unread, like the bytes of a picture; its letters are scanned like any text, because a user could put an API key there.
 */
export function isOpaque(owner: Fields, name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const isSignature = SIGNATURE_FIELDS.has(name) || (name === 'data' && owner.type === 'reasoning.encrypted')
  return isSignature && OPAQUE.test(value)
}
