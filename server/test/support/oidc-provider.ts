import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { startLoopback } from './loopback.ts'

const CLIENT = { id: 'gatehouse', secret: 'the secret of the client' }

interface Grant {
  readonly claims: Readonly<Record<string, unknown>>
  readonly nonce: string | null
  readonly challenge: string
  readonly redirectUri: string
}

/** Kinds and faults of the ID token: replaced claims (undefined removes one), no signature, or no token. */
interface IdTokenFaults {
  readonly omitted?: boolean
  /** Without the user's claims, which only the userinfo endpoint has: Okta does so. */
  readonly thin?: boolean
  readonly unsigned?: boolean
  readonly iss?: string
  readonly aud?: string
  readonly nonce?: string | undefined
  readonly exp?: number
}

interface OidcResponse {
  readonly status: number
  readonly body?: unknown
  readonly location?: string
}

/** An OpenID provider without a sign-in page: the user is the one that `claims` names. */
class OidcProvider {
  claims: Record<string, unknown> = {}
  idTokenFaults: IdTokenFaults = {}
  signingKey: CryptoKey
  readonly #issuer: string
  readonly #jwk: JWK
  readonly #grants = new Map<string, Grant>()
  readonly #claimsByToken = new Map<string, Readonly<Record<string, unknown>>>()

  constructor(issuer: string, jwk: JWK, signingKey: CryptoKey) {
    this.#issuer = issuer
    this.#jwk = jwk
    this.signingKey = signingKey
  }

  async respond(request: IncomingMessage, sent: Buffer): Promise<OidcResponse> {
    const url = new URL(request.url ?? '/', this.#issuer)
    switch (url.href.startsWith(this.#issuer) && url.pathname.slice(new URL(this.#issuer).pathname.replace(/\/$/, '').length)) {
      case '/.well-known/openid-configuration':
        return { status: 200, body: this.#discoveryDocument() }
      case '/jwks':
        return { status: 200, body: { keys: [this.#jwk] } }
      case '/authorize':
        return this.#authorize(url.searchParams)
      case '/token':
        return this.#redeem(new URLSearchParams(sent.toString()))
      case '/userinfo': {
        const claims = this.#claimsByToken.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
        return claims ? { status: 200, body: claims } : { status: 401 }
      }
      default:
        return { status: 404 }
    }
  }

  #discoveryDocument() {
    return {
      issuer: this.#issuer,
      authorization_endpoint: `${this.#issuer}/authorize`,
      token_endpoint: `${this.#issuer}/token`,
      jwks_uri: `${this.#issuer}/jwks`,
      userinfo_endpoint: `${this.#issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
  }

  #authorize(parameters: URLSearchParams): OidcResponse {
    if (parameters.get('client_id') !== CLIENT.id || parameters.get('code_challenge_method') !== 'S256') return { status: 400 }
    const [code, redirectUri] = [randomUUID(), parameters.get('redirect_uri') ?? '']
    const challenge = parameters.get('code_challenge') ?? ''
    this.#grants.set(code, { claims: { ...this.claims }, nonce: parameters.get('nonce'), challenge, redirectUri })
    const location = new URL(redirectUri)
    location.searchParams.set('code', code)
    location.searchParams.set('state', parameters.get('state') ?? '')
    return { status: 302, location: location.href }
  }

  /** Checks code, client and PKCE verifier, as a real provider does. */
  async #redeem(parameters: URLSearchParams): Promise<OidcResponse> {
    const grant = this.#grants.get(parameters.get('code') ?? '')
    this.#grants.delete(parameters.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(parameters.get('code_verifier') ?? '')
      .digest('base64url')
    const isClient = parameters.get('client_id') === CLIENT.id && parameters.get('client_secret') === CLIENT.secret
    if (!grant || !isClient || verifier !== grant.challenge || parameters.get('redirect_uri') !== grant.redirectUri) {
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    const access_token = randomUUID()
    this.#claimsByToken.set(access_token, grant.claims)
    const id_token = await this.#createIdToken(grant)
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: 300, id_token } }
  }

  async #createIdToken({ claims, nonce }: Grant): Promise<string | undefined> {
    const { omitted, unsigned, thin, ...wrongClaims } = this.idTokenFaults
    if (omitted) return undefined
    const now = Math.floor(Date.now() / 1_000)
    const rightClaims = { iss: this.#issuer, aud: CLIENT.id, iat: now, exp: now + 300, ...(nonce !== null && { nonce }) }
    const payload = { ...(thin ? { sub: claims.sub } : claims), ...rightClaims, ...wrongClaims }
    if (unsigned) return new UnsecuredJWT(payload).encode()
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(this.signingKey)
  }
}

export type OidcFixture = Awaited<ReturnType<typeof startOidcProvider>>

/**
 * Starts an OpenID provider on loopback that signs users in without a page and checks requests as a real one does. Its issuer can have
 * a path: `/realms/acme`.
 */
export async function startOidcProvider(path = '') {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const { privateKey: unknownKey } = await generateKeyPair('ES256')
  const { url, close } = await startLoopback(async (request, response, sent) => {
    const failed = (error: unknown): OidcResponse => ({ status: 500, body: String(error) })
    const { status, body, location } = await provider.respond(request, sent).catch(failed)
    response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
    response.end(body === undefined ? '' : JSON.stringify(body))
  })
  const issuer = `${url}${path}`
  const provider = new OidcProvider(issuer, jwk, privateKey)
  return {
    /** Claims of the users who sign in from now on. */
    set claims(claims: Record<string, unknown>) {
      provider.claims = { email_verified: true, ...claims }
    },
    /** From now on tokens are signed with a key that is not in the JWKS. */
    set forged(forged: boolean) {
      provider.signingKey = forged ? unknownKey : privateKey
    },
    set idToken(faults: IdTokenFaults) {
      provider.idTokenFaults = faults
    },
    environment: {
      GATEHOUSE_OIDC_ISSUER: issuer,
      GATEHOUSE_OIDC_CLIENT_ID: CLIENT.id,
      GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT.secret,
      GATEHOUSE_OIDC_NAME: 'Example ID',
    },
    close,
  }
}
