/** Credentials of an AWS account. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

const KEYS = /^([A-Z0-9]{16,128}):([A-Za-z0-9/+=]{16,128})(?::([A-Za-z0-9/+=]{16,3500}))?$/

/** Reads `access key id:secret access key[:session token]`. Returns undefined for every other text, for example a Bedrock API key. */
export function parseAwsKeys(text: string): AwsKeys | undefined {
  const [, accessKeyId, secretAccessKey, sessionToken] = KEYS.exec(text) ?? []
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
