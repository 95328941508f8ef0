import { importPKCS8, SignJWT } from 'jose'
import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { TokenGrant } from './token-grant.ts'

/** The key file of a service account of Google Cloud: https://cloud.google.com/iam/docs/keys-create-delete. */
export interface ServiceAccount {
  readonly projectId: string
  readonly clientEmail: string
  /** PKCS #8 in PEM. */
  readonly privateKey: string
  readonly privateKeyId: string
  /** Address that exchanges a signed token for an access token. */
  readonly tokenUri: string
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Lifetime of the signed token, the longest that Google accepts. */
const ASSERTION_SECONDS = 3_600
const TOKEN_URI = 'https://oauth2.googleapis.com/token'

/** Reads the JSON text of a key file. Returns undefined if it is not one. */
export function parseServiceAccount(text: string): ServiceAccount | undefined {
  const fields = parseFields(text)
  if (fields?.type !== 'service_account') return undefined
  const account = {
    projectId: textOf(fields.project_id),
    clientEmail: textOf(fields.client_email),
    privateKey: textOf(fields.private_key),
    privateKeyId: textOf(fields.private_key_id),
    tokenUri: textOf(fields.token_uri) || TOKEN_URI,
  }
  const isComplete = account.projectId !== '' && account.clientEmail !== '' && account.privateKey.includes('PRIVATE KEY')
  return isComplete && URL.canParse(account.tokenUri) ? account : undefined
}

function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** RFC 7523, as https://developers.google.com/identity/protocols/oauth2/service-account describes it. */
export const serviceAccountGrant = (account: ServiceAccount): TokenGrant => ({
  tokenUri: account.tokenUri,
  account,
  form: async (issuedAt) => {
    const assertion = await sign(account, issuedAt)
    return assertion === undefined ? undefined : { grant_type: GRANT_TYPE, assertion }
  },
})

/** Returns undefined if the private key is not one. */
async function sign({ clientEmail, tokenUri, privateKey, privateKeyId }: ServiceAccount, issuedAt: number) {
  try {
    const key = await importPKCS8(privateKey, 'RS256')
    const jwt = new SignJWT({ scope: SCOPE }).setIssuer(clientEmail).setAudience(tokenUri).setIssuedAt(issuedAt)
    const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== '' && { kid: privateKeyId }) }
    return await jwt
      .setExpirationTime(issuedAt + ASSERTION_SECONDS)
      .setProtectedHeader(header)
      .sign(key)
  } catch {
    return undefined
  }
}
