type Fields = Readonly<Record<string, unknown>>

/** Where providers put state of theirs that is signed or encrypted: Gemini, Anthropic, OpenRouter, OpenAI. */
const SIGNATURE_FIELDS: ReadonlySet<string> = new Set(['thought_signature', 'thoughtSignature', 'signature', 'encrypted_content'])
/** Base64, either alphabet. Anything else under those names is read like a text. */
const OPAQUE = /^[A-Za-z0-9+/_-]{24,}={0,2}$/

/**
 * Whether a field holds provider state that only its provider can read: it has to come back to the byte in the next turn, so nothing
 * may be changed in it. What it encodes passes unread, and is counted, as the bytes of a picture are. But anybody can write a key under
 * such a name, so its letters are read like any text.
 */
export function isOpaque(owner: Fields, name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const isSignature = SIGNATURE_FIELDS.has(name) || (name === 'data' && owner.type === 'reasoning.encrypted')
  return isSignature && OPAQUE.test(value)
}
