import { parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { TokenGrant } from './token-grant.ts'

/** An application of Microsoft Entra ID with a client secret. */
export interface ServicePrincipal {
  readonly tenant: string
  readonly clientId: string
  readonly clientSecret: string
  /** Address that exchanges the secret for an access token. */
  readonly tokenUri: string
  readonly scope: string
}

const AUTHORITY = 'https://login.microsoftonline.com'
const SCOPE = 'https://cognitiveservices.azure.com/.default'
const NAME = /^[A-Za-z0-9.-]{1,255}$/

/**
 * Reads the JSON text that `az ad sp create-for-rbac` prints (`appId`, `password`, `tenant`), with `token_uri` and `scope` for other clouds
 * than the public one. Returns undefined if it is not one.
 */
export function parseServicePrincipal(text: string): ServicePrincipal | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const fields = parseJsonObject(Buffer.from(text))
  const [tenant, clientId, clientSecret] = [textOf(fields?.tenant), textOf(fields?.appId), textOf(fields?.password)]
  if (!NAME.test(tenant) || !NAME.test(clientId) || clientSecret === '') return undefined
  const tokenUri = textOf(fields?.token_uri) || `${AUTHORITY}/${tenant}/oauth2/v2.0/token`
  if (!URL.canParse(tokenUri)) return undefined
  return { tenant, clientId, clientSecret, tokenUri, scope: textOf(fields?.scope) || SCOPE }
}

/** The client credentials grant: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow. */
export const servicePrincipalGrant = (principal: ServicePrincipal): TokenGrant => ({
  tokenUri: principal.tokenUri,
  account: principal,
  form: async () => ({
    grant_type: 'client_credentials',
    client_id: principal.clientId,
    client_secret: principal.clientSecret,
    scope: principal.scope,
  }),
})
