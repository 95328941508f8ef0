import { isIP } from 'node:net'
import type { JSONWebKeySet } from 'jose'
import { Type } from 'typebox'
import type { Problem } from '../../platform/lib/schema.ts'

/** Public keys (RFC 7517), or the URL of their key set. */
export type Jwks = JSONWebKeySet | { readonly url: string }

const Key = Type.Object({ kty: Type.String() }, { additionalProperties: true })

export const JwksSource = Type.Unsafe<Jwks>({
  type: 'object',
  properties: { keys: Type.Array(Key, { minItems: 1, maxItems: 100 }), url: Type.String({ maxLength: 2_000 }) },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
})

/** Members that only private and symmetric keys have (RFC 7518 §6, RFC 8037 §2). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const
const MIN_RSA_BYTES = 256

export function jwksProblem(jwks: Jwks): Problem | undefined {
  if ('url' in jwks) return findUrlProblem(jwks.url)
  for (const [index, key] of jwks.keys.entries()) {
    const message = keyProblem(key)
    if (message !== undefined) return { param: `keys[${index}]`, message }
  }
  return undefined
}

/** Keys for other purposes are allowed, because key sets of identity providers contain them. Secret keys are not. */
function keyProblem(key: JSONWebKeySet['keys'][number]): string | undefined {
  if (key.kty === 'oct' || SECRET_MEMBERS.some((member) => member in key)) return 'must be a public key'
  if (key.kty === 'RSA' && Buffer.from(String(key.n), 'base64url').length < MIN_RSA_BYTES) return 'must have at least 2048 bits'
  return undefined
}

/** A key set that is changed in transit allows forged tokens, so plain HTTP is only for local hosts. */
function findUrlProblem(text: string): Problem | undefined {
  const problem = (message: string): Problem => ({ param: 'url', message })
  const url = URL.parse(text)
  if (!url) return problem('must be an absolute URL')
  if (url.username || url.password) return problem('must not contain credentials')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname))) return undefined
  return problem('must start with https:// (http:// only for this machine or a name without a domain)')
}

const isLocalHost = (host: string): boolean =>
  host.startsWith('127.') || host === '[::1]' || host.endsWith('.localhost') || (isIP(host) === 0 && /^[^.[\]]+$/.test(host))
