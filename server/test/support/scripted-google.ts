import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose'
import { startLoopback } from './loopback.ts'
import { json } from './scripted-provider.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

interface TokenOptions {
  /** Milliseconds since the epoch, the clock of the server under test. */
  readonly now: () => number
  /** Lifetime of the tokens. */
  readonly seconds?: number
}

/** Starts a token endpoint of Google on loopback, which verifies each signed token with the account's public key. */
export async function startScriptedTokens({ now, seconds = 3_600 }: TokenOptions) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const issued: string[] = []
  let failure: { readonly status: number; readonly body: unknown } | undefined
  const server = await startLoopback(async (_request, response, body) => {
    if (failure) return json(response, failure.status, failure.body)
    const form = new URLSearchParams(body.toString())
    const checks = { issuer: 'gatehouse@acme.example.com', audience: url, currentDate: new Date(now()) }
    try {
      const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, checks)
      const isValid = form.get('grant_type') === GRANT_TYPE && payload.scope === SCOPE && protectedHeader.kid === 'key-1'
      if (!isValid || payload.exp !== (payload.iat ?? 0) + 3_600) throw new Error('not the claims of the documentation')
    } catch {
      return json(response, 400, { error: 'invalid_grant', error_description: 'private: Invalid JWT Signature.' })
    }
    issued.push(`ya29.scripted-${issued.length + 1}`)
    json(response, 200, { access_token: issued.at(-1), expires_in: seconds, token_type: 'Bearer' })
  })
  const url = `${server.url}/token`
  const account = {
    type: 'service_account',
    project_id: 'acme-project',
    private_key_id: 'key-1',
    private_key: await exportPKCS8(privateKey),
    client_email: 'gatehouse@acme.example.com',
    token_uri: url,
  }
  return {
    /** The account as operators have it: a formatted JSON text. `change`: other fields. */
    keyFile: (change: object = {}): string => JSON.stringify({ ...account, ...change }, null, 2),
    account,
    issued,
    /** Makes each further exchange fail; undefined: succeed. */
    fail: (next: typeof failure): void => {
      failure = next
    },
    close: server.close,
  }
}
export type ScriptedTokens = Awaited<ReturnType<typeof startScriptedTokens>>
