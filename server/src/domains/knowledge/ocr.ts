import { spawn } from 'node:child_process'
import pLimit from 'p-limit'
import { Agent, request } from 'undici'
import { guardedConnector } from '../../platform/lib/url-guard.ts'
import { DEFAULT_LIMITS, DocumentError } from './parsing/document.ts'

type Hook =
  | { readonly command: readonly string[]; readonly environment: Readonly<Record<string, string>> }
  | { readonly url: string }

interface OcrConfig {
  readonly hook: Hook
  readonly timeoutMs: number
}

interface OcrFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Recognises the text of pictures. Returns the text of each page. Throws a DocumentError. */
export type Ocr = (file: OcrFile) => Promise<readonly string[]>

const CONCURRENT = 2
const CONNECT_MS = 5_000

/** Undefined if no hook is configured. */
export function openOcr(config: OcrConfig | undefined): Ocr | undefined {
  if (!config) return undefined
  const { hook, timeoutMs } = config
  const limit = pLimit(CONCURRENT)
  const run =
    'url' in hook ? (file: OcrFile) => post(hook.url, file, timeoutMs) : ({ bytes }: OcrFile) => execute(hook, bytes, timeoutMs)
  return (file) => limit(async () => pagesOf(await run(file)))
}

/** Programs for text recognition separate pages by form feeds. The last one ends a page. */
const pagesOf = (text: string): readonly string[] => text.replace(/\f[^\S\f]*$/, '').split('\f')

const failed = (reason: string, cause?: unknown): DocumentError =>
  new DocumentError(
    'ocr_failed',
    `The text recognition failed (${reason}). Retry later, or upload the file with its text.`,
    cause,
  )

function execute(
  { command: [program = '', ...args], environment }: Extract<Hook, { command: unknown }>,
  bytes: Uint8Array,
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...{ env: environment, stdio: ['pipe', 'pipe', 'ignore'], timeout: timeoutMs, killSignal: 'SIGKILL' },
    })
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_TEXT_BYTES) child.kill('SIGKILL')
      else chunks.push(chunk)
    })
    child.on('error', (error: NodeJS.ErrnoException) => reject(failed(error.code ?? error.name, error)))
    child.on('close', (status, signal) => {
      if (size > MAX_TEXT_BYTES) reject(failed('too much text'))
      else if (status === 0) resolve(Buffer.concat(chunks).toString('utf8'))
      else reject(failed(signal === null ? `status ${status}` : `${signal} after at most ${timeoutMs / 1_000} s`))
    })
    // A program that does not read its input closes it early; its status says whether it failed.
    child.stdin.on('error', () => {})
    child.stdin.end(bytes)
  })
}

const agent = new Agent({
  connect: guardedConnector(true, CONNECT_MS),
  keepAliveTimeout: 1_000,
  maxResponseSize: DEFAULT_LIMITS.bytes,
})

async function post(url: string, { bytes, mediaType }: OcrFile, timeoutMs: number): Promise<string> {
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { accept: 'text/plain', 'accept-encoding': 'identity', 'content-type': mediaType, 'user-agent': 'gatehouse' },
      body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    })
    const text = await body.text()
    if (statusCode !== 200) throw failed(`status ${statusCode}`)
    return text
  } catch (error) {
    if (error instanceof DocumentError) throw error
    const { name, code } = error as { readonly name: string; readonly code?: string }
    throw failed(name === 'TimeoutError' ? `no answer within ${timeoutMs / 1_000} s` : (code ?? name), error)
  }
}

const MAX_TEXT_BYTES = DEFAULT_LIMITS.bytes
