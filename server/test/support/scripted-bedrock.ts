import { createHash, createHmac } from 'node:crypto'
import { anthropicMessage } from './scripted-anthropic.ts'
import { completion, json, type ScriptedCall, startScripted } from './scripted-provider.ts'

export const BEDROCK_KEYS = {
  accessKeyId: 'AKIDSCRIPTED00000001',
  secretAccessKey: 'scripted/secret+access/key0000000000000',
  sessionToken: 'scriptedSessionToken0000==',
}
export const BEDROCK_REGION = 'eu-central-1'
export const BEDROCK_API_KEY = 'ABSKscripted-bedrock-api-key'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The signature of https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, for a path without query. */
function signatureOf({ method, path, headers, raw }: ScriptedCall, signedHeaders: string, date: string): string {
  const canonicalPath = path.split('/').map(encodeURIComponent).join('/')
  const canonicalHeaders = signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, canonicalPath, '', canonicalHeaders.join(''), signedHeaders, sha256(raw)].join('\n')
  const scope = `${date.slice(0, 8)}/${BEDROCK_REGION}/bedrock/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${BEDROCK_KEYS.secretAccessKey}`)
  return hmac(key, toSign).toString('hex')
}

function isAuthorized(call: ScriptedCall): boolean {
  const { authorization = '', 'x-amz-date': date, 'x-amz-security-token': token } = call.headers
  if (authorization === `Bearer ${BEDROCK_API_KEY}`) return true
  const [, keyId, signedHeaders = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)\/[^,]+, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? []
  const isCurrent = typeof date === 'string' && token === BEDROCK_KEYS.sessionToken && signedHeaders.includes('host')
  return keyId === BEDROCK_KEYS.accessKeyId && isCurrent && signature === signatureOf(call, signedHeaders, date)
}

const MODELS = {
  modelSummaries: [
    { modelId: 'openai.gpt-oss-120b-1:0', outputModalities: ['TEXT'] },
    { modelId: 'anthropic.claude-b-v1:0', outputModalities: ['TEXT'] },
    { modelId: 'stability.picture-1', outputModalities: ['IMAGE'] },
  ],
}

/** Starts Amazon Bedrock, which verifies the signature of each request. */
export async function startScriptedBedrock() {
  const calls: ScriptedCall[] = []
  const bedrock = await startScripted(
    (response, { method, path }) => {
      if (path === '/foundation-models' && method === 'GET') return json(response, 200, MODELS)
      if (path.startsWith('/model/')) return json(response, 200, anthropicMessage([{ type: 'text', text: 'From Claude.' }]))
      return json(response, 200, completion('From an open model.'))
    },
    (response, call) => {
      calls.push(call)
      if (isAuthorized(call)) return false
      json(response, 403, { message: 'The request signature we calculated does not match.' })
      return true
    },
  )
  /** Also those that were refused. */
  return { ...bedrock, calls }
}
