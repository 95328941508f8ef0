import { type Fields, isObject, textOf } from '../lib/untrusted-json.ts'

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
