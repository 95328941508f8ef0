import { hash, randomBytes } from 'node:crypto'

/** Prefix of a bearer credential: an Application's API key, an operator's admin token, or a member's access token. */
export type CredentialPrefix = 'gk_' | 'ga_' | 'gu_'

/** 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/**
 * `secret`: shown once and never stored. `hash`: its SHA-256; a slow hash would not add security, because the secret has 256 random bits.
 * `hint`: its start, by which operators distinguish keys; 232 of the random bits stay secret.
 */
export const credentialOf = (secret: string) => ({ secret, hash: hash('sha256', secret, 'buffer'), hint: secret.slice(0, 7) })
export type NewCredential = ReturnType<typeof credentialOf>

export const newCredential = (prefix: CredentialPrefix): NewCredential =>
  credentialOf(prefix + randomBytes(32).toString('base64url'))

/** The credential of each prefix, and the API that accepts it. */
const FORMS: Readonly<Record<CredentialPrefix, { readonly name: string; readonly api: string }>> = {
  gk_: { name: 'the API key of an Application (gk_…)', api: 'the gateway API' },
  gu_: { name: "a member's access token (gu_…) or user token (a JWT)", api: 'the messaging API' },
  ga_: { name: "an operator's admin token (ga_…)", api: 'the admin API (/admin/v1)' },
}

/** Both APIs have a path /v1/messages (GW-ANT-1). */
const MESSAGES_API = "A request to Anthropic's Messages API also needs the header anthropic-version."

/** The error message for a credential of another API, by its form alone, so it does not show whether it is valid; undefined: none. */
export function describeMisplacedCredential(authorization: string | undefined, wanted: CredentialPrefix): string | undefined {
  const [, prefix, jwt] = /^bearer +(?:(g[kua]_)|([\w-]+\.[\w-]+\.[\w-]+)$)/i.exec(authorization?.slice(0, 8_192) ?? '') ?? []
  const sent = prefix === undefined ? jwt && 'gu_' : prefix.toLowerCase()
  if (!sent || sent === wanted) return undefined
  const { name, api } = FORMS[wanted]
  const other = FORMS[sent as CredentialPrefix]
  const message = `This path belongs to ${api}, which takes ${name}. The request carries ${other.name}, which belongs to ${other.api}.`
  return sent === 'gk_' && wanted === 'gu_' ? `${message} ${MESSAGES_API}` : message
}

/**
 * The credential's SHA-256 as hexadecimal, read from an Authorization header (RFC 6750 §2.1: the scheme in any case, spaces, one token).
 * Returns undefined if the form is wrong, so that no query is needed.
 */
export function readBearer(authorization: string | undefined, prefix: CredentialPrefix): string | undefined {
  const [, secret] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  if (!secret?.startsWith(prefix) || !SECRET.test(secret.slice(prefix.length))) return undefined
  return hash('sha256', secret, 'hex')
}
