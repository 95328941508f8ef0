import { startLoopback } from './loopback.ts'
import { json } from './scripted-provider.ts'

const PRINCIPAL = { appId: '7a1c-gatehouse', password: 'scripted~client.secret', tenant: 'acme.example.com' }

/** Starts a token endpoint of Microsoft Entra ID on loopback, which accepts one service principal. */
export async function startScriptedEntra() {
  const issued: string[] = []
  const { url, close } = await startLoopback((request, response, body) => {
    const form = Object.fromEntries(new URLSearchParams(body.toString()))
    const isAccepted =
      request.url === `/${PRINCIPAL.tenant}/oauth2/v2.0/token` &&
      form.grant_type === 'client_credentials' &&
      form.client_id === PRINCIPAL.appId &&
      form.client_secret === PRINCIPAL.password &&
      form.scope === 'https://cognitiveservices.azure.com/.default'
    if (!isAccepted) return json(response, 401, { error: 'invalid_client', error_description: 'private: AADSTS7000215' })
    issued.push(`scripted-entra-${issued.length + 1}`)
    json(response, 200, { token_type: 'Bearer', expires_in: 3_599, access_token: issued.at(-1) })
  })
  return {
    /** The principal as the command line of Azure prints it. `change`: other fields. */
    principal: (change: object = {}): string =>
      JSON.stringify({ ...PRINCIPAL, token_uri: `${url}/${PRINCIPAL.tenant}/oauth2/v2.0/token`, ...change }, null, 2),
    secret: PRINCIPAL.password,
    issued,
    close,
  }
}
