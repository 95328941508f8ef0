import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicMessage } from './scripted-anthropic.ts'
import { completion, json } from './scripted-provider.ts'
import { noteStream } from './upstream-stream.ts'

interface BedrockCall {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly raw: string
  readonly body: Readonly<Record<string, unknown>>
}
type Behaviour = (response: ServerResponse, call: BedrockCall) => void

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
function signatureOf({ method, path, headers, raw }: BedrockCall, signedHeaders: string, date: string): string {
  const canonicalPath = path.split('/').map(encodeURIComponent).join('/')
  const canonicalHeaders = signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, canonicalPath, '', canonicalHeaders.join(''), signedHeaders, sha256(raw)].join('\n')
  const scope = `${date.slice(0, 8)}/${BEDROCK_REGION}/bedrock/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${BEDROCK_KEYS.secretAccessKey}`)
  return hmac(key, toSign).toString('hex')
}

function isAuthorized(call: BedrockCall): boolean {
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

/** Starts Amazon Bedrock on loopback, which verifies the signature of each request. A word of the prompt selects its behaviour. */
export async function startScriptedBedrock() {
  const scripts = new Map<string, Behaviour>()
  const calls: BedrockCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    const { method = '', url: path = '', headers } = request
    const call: BedrockCall = { method, path, headers, raw, body: raw === '' ? {} : JSON.parse(raw) }
    calls.push(call)
    noteStream(response, call)
    if (!isAuthorized(call)) return json(response, 403, { message: 'The request signature we calculated does not match.' })
    if (path === '/foundation-models' && method === 'GET') return json(response, 200, MODELS)
    const script = [...scripts].find(([word]) => raw.includes(word))?.[1]
    if (script) return script(response, call)
    if (path.startsWith('/model/')) return json(response, 200, anthropicMessage([{ type: 'text', text: 'From Claude.' }]))
    return json(response, 200, completion('From an open model.'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    on: (word: string, behaviour: Behaviour): void => void scripts.set(word, behaviour),
    callsWith: (word: string): BedrockCall[] => calls.filter(({ raw }) => raw.includes(word)),
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
