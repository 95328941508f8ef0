import i18next from 'i18next'
import type { Workspace } from './current-workspace.ts'

export const CLAIMS = ['id', 'role', 'department', 'attributes'] as const

export interface Values {
  source: string
  /** The URL, or the key set as JSON. */
  jwks: string
  issuer: string
  audience: string[]
  claims: Workspace['settings']['claims']
}

export function valuesOf({ settings: { jwks, issuer, audience, claims } }: Workspace): Values {
  const url = typeof jwks?.url === 'string' ? jwks.url : undefined
  return {
    source: jwks === null ? 'none' : url === undefined ? 'keys' : 'url',
    jwks: url ?? (jwks ? JSON.stringify(jwks, null, 2) : ''),
    issuer: issuer ?? '',
    audience: audience === null ? [] : [audience].flat(),
    claims,
  }
}

/** Request body. Empty fields are null. */
export function bodyOf({ source, jwks, issuer, audience, claims }: Values) {
  return {
    settings: {
      jwks: source === 'none' ? null : source === 'url' ? { url: jwks.trim() } : JSON.parse(jwks),
      issuer: issuer.trim() || null,
      audience: audience.length > 0 ? audience : null,
      claims: Object.fromEntries(CLAIMS.map((claim) => [claim, claims[claim].trim() || null])),
    },
  }
}

export function validateJwks(text: string, { source }: Values): string | null {
  if (source === 'url' && !text.trim()) return i18next.t('workspace:tokens.urlMissing')
  return source === 'keys' && !isJsonObject(text) ? i18next.t('workspace:tokens.jwksInvalid') : null
}

function isJsonObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** A public key, as far as the page shows it. */
export interface PublicKey {
  readonly kid?: string
  readonly kty?: string
  readonly crv?: string
  readonly alg?: string
}

/** The keys of a key set; undefined if the text is no key set. */
export function keysIn(jwks: string): readonly PublicKey[] | undefined {
  if (!isJsonObject(jwks)) return undefined
  const { keys } = (JSON.parse(jwks) ?? {}) as { readonly keys?: unknown }
  return Array.isArray(keys) && keys.length > 0 ? keys : undefined
}
