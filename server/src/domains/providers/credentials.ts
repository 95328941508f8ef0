import { importPKCS8, SignJWT } from 'jose'
import type { Problem } from '../../platform/lib/schema.ts'
import { parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import type { TokenGrant } from './access-tokens.ts'
import type { ProviderKind } from './kinds.ts'

const MAX_LENGTH = 8_000
const PRINTABLE = new RegExp(`^[!-~]{1,${MAX_LENGTH}}$`)

/** The problem of a provider's key, in words that continue the field's name; undefined: none. `allowPrivate`: for the addresses in it. */
export function findApiKeyProblem(kind: ProviderKind, apiKey: string, allowPrivate: boolean): Problem | undefined {
  const message = problemOf(kind, apiKey, allowPrivate)
  return message === undefined ? undefined : { param: 'api_key', message }
}

function problemOf(kind: ProviderKind, apiKey: string, allowPrivate: boolean): string | undefined {
  if (kind === 'vertex') {
    return accountProblem(apiKey, parseServiceAccount, 'the JSON text of the key file of a service account', allowPrivate)
  }
  if (kind === 'azure-openai' && apiKey.trimStart().startsWith('{')) {
    const form = 'the key of a resource, or the JSON text of a service principal with appId, password and tenant'
    return accountProblem(apiKey, parseServicePrincipal, form, allowPrivate)
  }
  if (!PRINTABLE.test(apiKey)) return 'must be printable ASCII without spaces'
  if (kind === 'bedrock' && apiKey.includes(':') && !parseAwsKeys(apiKey))
    return 'must be a Bedrock API key, or access key id:secret access key, with :session token if there is one'
  return undefined
}

function accountProblem(
  apiKey: string,
  parse: (text: string) => { readonly tokenUri: string } | undefined,
  form: string,
  allowPrivate: boolean,
): string | undefined {
  const account = apiKey.length <= MAX_LENGTH ? parse(apiKey) : undefined
  if (!account) return `must be ${form}`
  const problem = findUrlProblem(account.tokenUri, allowPrivate)
  return problem && `has a token_uri that ${problem}`
}

export type AwsKeys = NonNullable<ReturnType<typeof parseAwsKeys>>

const KEYS = /^([A-Z0-9]{16,128}):([A-Za-z0-9/+=]{16,128})(?::([A-Za-z0-9/+=]{16,3500}))?$/

/** Reads `access key id:secret access key[:session token]`. Returns undefined for every other text, for example a Bedrock API key. */
export function parseAwsKeys(text: string) {
  const [, accessKeyId, secretAccessKey, sessionToken] = KEYS.exec(text) ?? []
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ASSERTION_SECONDS = 3_600
const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token'

/** Key file of a service account (https://cloud.google.com/iam/docs/keys-create-delete), with the grant of RFC 7523; undefined: another text. */
export function parseServiceAccount(text: string): (TokenGrant & { readonly projectId: string }) | undefined {
  const fields = parseJsonObject(Buffer.from(text))
  if (fields?.type !== 'service_account') return undefined
  const account = {
    projectId: textOf(fields.project_id),
    clientEmail: textOf(fields.client_email),
    privateKey: textOf(fields.private_key),
    privateKeyId: textOf(fields.private_key_id),
    tokenUri: textOf(fields.token_uri) || GOOGLE_TOKEN_URI,
  }
  const isComplete = account.projectId !== '' && account.clientEmail !== '' && account.privateKey.includes('PRIVATE KEY')
  if (!isComplete || !URL.canParse(account.tokenUri)) return undefined
  return {
    projectId: account.projectId,
    tokenUri: account.tokenUri,
    account,
    form: async (issuedAt) => {
      const assertion = await signAssertion(account, issuedAt)
      return assertion === undefined ? undefined : { grant_type: JWT_BEARER, assertion }
    },
  }
}

type AccountField = 'clientEmail' | 'tokenUri' | 'privateKey' | 'privateKeyId'

async function signAssertion(
  { clientEmail, tokenUri, privateKey, privateKeyId }: Readonly<Record<AccountField, string>>,
  issuedAt: number,
) {
  try {
    const key = await importPKCS8(privateKey, 'RS256')
    const jwt = new SignJWT({ scope: CLOUD_SCOPE }).setIssuer(clientEmail).setAudience(tokenUri).setIssuedAt(issuedAt)
    const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== '' && { kid: privateKeyId }) }
    return await jwt
      .setExpirationTime(issuedAt + ASSERTION_SECONDS)
      .setProtectedHeader(header)
      .sign(key)
  } catch {
    return undefined
  }
}

const AUTHORITY = 'https://login.microsoftonline.com'
const COGNITIVE_SCOPE = 'https://cognitiveservices.azure.com/.default'
const NAME = /^[A-Za-z0-9.-]{1,255}$/

/** As `az ad sp create-for-rbac` prints it: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow. */
export function parseServicePrincipal(text: string): TokenGrant | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const fields = parseJsonObject(Buffer.from(text))
  const [tenant, clientId, clientSecret] = [textOf(fields?.tenant), textOf(fields?.appId), textOf(fields?.password)]
  if (!NAME.test(tenant) || !NAME.test(clientId) || clientSecret === '') return undefined
  const tokenUri = textOf(fields?.token_uri) || `${AUTHORITY}/${tenant}/oauth2/v2.0/token`
  if (!URL.canParse(tokenUri)) return undefined
  const scope = textOf(fields?.scope) || COGNITIVE_SCOPE
  const account = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope }
  return { tokenUri, account: { tokenUri, ...account }, form: async () => account }
}
