import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'

/** Claims of a user token (RFC 7519). The names are the defaults of a Workspace (domains/identity/workspace.ts). */
export interface UserTokenClaims {
  readonly sub: string
  readonly role?: string | readonly string[]
  readonly department?: string | readonly string[]
  readonly groups?: string | readonly string[]
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly issuer?: string
  readonly audience?: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000)

/** An Ed25519 key pair for user tokens; `publicJwk` goes into the Workspace's `jwks.keys`. */
export async function generateUserTokenKeys(): Promise<{ privateJwk: JWK; publicJwk: JWK }> {
  const pair = await generateKeyPair('EdDSA', { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const keyFields = { kid: await calculateJwkThumbprint(publicJwk), alg: 'EdDSA', use: 'sig' }
  return { privateJwk: { ...(await exportJWK(pair.privateKey)), ...keyFields }, publicJwk: { ...publicJwk, ...keyFields } }
}

export async function signUserToken(privateJwk: JWK, claims: UserTokenClaims): Promise<string> {
  const { issuer, audience, issuedAt, expiresAt, ...own } = claims
  const { alg = 'EdDSA', kid } = privateJwk
  return new SignJWT({
    ...own,
    iat: seconds(issuedAt),
    exp: seconds(expiresAt),
    ...(issuer !== undefined && { iss: issuer }),
    ...(audience !== undefined && { aud: audience }),
  })
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid !== undefined && { kid }) })
    .sign(await importJWK(privateJwk, alg))
}
