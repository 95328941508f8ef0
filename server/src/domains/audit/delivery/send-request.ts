import { createHash } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, request } from 'undici'
import { guardedConnector } from '../../../platform/lib/url-guard.ts'

export interface OutsideConnection {
  readonly agent: Agent
  readonly timeoutMs: number
  close(): Promise<void>
}

interface OutsideRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

const CONNECT_MS = 5_000
const TIMEOUT_MS = 15_000
const NEWLINE = 10

/** URLs of these places come from the environment or the command line, so they may be private; those of metadata services are refused. */
export function openConnection(timeoutMs = TIMEOUT_MS): OutsideConnection {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const agent = new Agent({ connect: guardedConnector(true, CONNECT_MS), connections: 1, pipelining: 1, ...limits })
  return { agent, timeoutMs, close: () => agent.destroy() }
}

/** Throws unless the response is 2xx within the time limit. Does not follow redirects, and reports only the status. */
export async function sendRequest(
  { agent, timeoutMs }: OutsideConnection,
  { method, url, headers, body }: OutsideRequest,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = { method, headers: { ...headers, 'user-agent': 'gatehouse' }, body }
  const response = await request(url, { ...sent, dispatcher: agent, signal })
  await response.body.dump({ limit: 65_536, signal })
  if (response.statusCode < 200 || response.statusCode > 299)
    throw new Error(`the destination returned status ${response.statusCode}`)
}

export const bearer = (token: string | undefined) => (token === undefined ? undefined : { authorization: `Bearer ${token}` })

export interface Bucket {
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface BucketObject {
  readonly name: string
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly now: Date
}

export async function putObject(
  connection: OutsideConnection,
  { url, ...bucket }: Bucket,
  { name, body, now, ...object }: BucketObject,
): Promise<void> {
  const headers = {
    ...object.headers,
    'content-md5': createHash('md5').update(body).digest('base64'),
    'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
  }
  // `20260301T000000Z`
  const datetime = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
  const signer = new AwsV4Signer({ ...bucket, method: 'PUT', url: `${url}/${name}`, headers, service: 's3', datetime })
  const signed = await signer.sign()
  await sendRequest(connection, { method: 'PUT', url: `${signed.url}`, headers: Object.fromEntries(signed.headers), body })
}

/** Appends the lines and flushes them to disk (fdatasync). Each call opens the file, so log rotation may rename it between two calls. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, 'a+', 0o600)
  try {
    const { size } = await file.stat()
    const last = size > 0 ? (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] : NEWLINE
    // A line that a crash has cut off is kept separate from the next one.
    await file.appendFile(`${last === NEWLINE ? '' : '\n'}${lines.map((line) => `${line}\n`).join('')}`)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Resolves when the file is durable. It appears under its name when it is complete; until then it is in `draft`, in the same folder. */
export async function replaceFile(path: string, content: string | Buffer, draft: string): Promise<void> {
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
