import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'

const CLIENT = { id: 'gatehouse', secret: 'the secret of the client' }

interface Granted {
  readonly claims: Readonly<Record<string, unknown>>
  readonly nonce: string | null
  readonly challenge: string
  readonly redirectUri: string
}

/** Claims that replace the right ones (undefined: left out), or a token without a signature, or none at all. */
interface WrongIdToken {
  readonly omitted?: boolean
  readonly unsigned?: boolean
  readonly iss?: string
  readonly aud?: string
  readonly nonce?: string | undefined
  readonly exp?: number
}

export type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>

/** A small OpenID provider: whoever `claims` says signs in without being asked. It checks what a real one checks. */
export async function startOidcProvider() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const stranger = await generateKeyPair('ES256')
  const granted = new Map<string, Granted>()
  const state = { claims: {} as Record<string, unknown>, forged: false, idToken: {} as WrongIdToken }
  const users = new Map<string, Readonly<Record<string, unknown>>>()

  const tokenFor = async ({ claims, nonce }: Granted): Promise<string | undefined> => {
    const { omitted, unsigned, ...wrong } = state.idToken
    if (omitted) return undefined
    const now = Math.floor(Date.now() / 1_000)
    const right = { iss: issuer(), aud: CLIENT.id, iat: now, exp: now + 300, ...(nonce !== null && { nonce }) }
    const payload = { ...claims, ...right, ...wrong }
    if (unsigned) return new UnsecuredJWT(payload).encode()
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(state.forged ? stranger.privateKey : privateKey)
  }

  const answer = async (request: IncomingMessage): Promise<{ status: number; body?: unknown; location?: string }> => {
    const url = new URL(request.url ?? '/', issuer())
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return {
          status: 200,
          body: {
            issuer: issuer(),
            authorization_endpoint: `${issuer()}/authorize`,
            token_endpoint: `${issuer()}/token`,
            jwks_uri: `${issuer()}/jwks`,
            userinfo_endpoint: `${issuer()}/userinfo`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['ES256'],
          },
        }
      case '/jwks':
        return { status: 200, body: { keys: [jwk] } }
      case '/authorize': {
        const asked = url.searchParams
        if (asked.get('client_id') !== CLIENT.id || asked.get('code_challenge_method') !== 'S256') return { status: 400 }
        const [code, redirectUri] = [randomUUID(), asked.get('redirect_uri') ?? '']
        const challenge = asked.get('code_challenge') ?? ''
        granted.set(code, { claims: { ...state.claims }, nonce: asked.get('nonce'), challenge, redirectUri })
        const back = new URL(redirectUri)
        back.searchParams.set('code', code)
        back.searchParams.set('state', asked.get('state') ?? '')
        return { status: 302, location: back.href }
      }
      case '/token': {
        const asked = new URLSearchParams(await textOf(request))
        const grant = granted.get(asked.get('code') ?? '')
        granted.delete(asked.get('code') ?? '')
        const verifier = createHash('sha256')
          .update(asked.get('code_verifier') ?? '')
          .digest('base64url')
        const known = asked.get('client_id') === CLIENT.id && asked.get('client_secret') === CLIENT.secret
        if (!grant || !known || verifier !== grant.challenge || asked.get('redirect_uri') !== grant.redirectUri) {
          return { status: 400, body: { error: 'invalid_grant' } }
        }
        const access_token = randomUUID()
        users.set(access_token, grant.claims)
        return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: 300, id_token: await tokenFor(grant) } }
      }
      case '/userinfo': {
        const claims = users.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
        return claims ? { status: 200, body: claims } : { status: 401 }
      }
      default:
        return { status: 404 }
    }
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body, location }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
        response.end(body === undefined ? '' : JSON.stringify(body))
      },
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    /** What it says of the next who come. */
    set claims(claims: Record<string, unknown>) {
      state.claims = { email_verified: true, ...claims }
    },
    /** From now on tokens are signed with a key that is not in its JWKS. */
    set forged(forged: boolean) {
      state.forged = forged
    },
    /** What is wrong with the ID tokens from now on. */
    set idToken(wrong: WrongIdToken) {
      state.idToken = wrong
    },
    environment: {
      GATEHOUSE_OIDC_ISSUER: issuer(),
      GATEHOUSE_OIDC_CLIENT_ID: CLIENT.id,
      GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT.secret,
      GATEHOUSE_OIDC_NAME: 'Example ID',
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
