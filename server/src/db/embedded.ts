import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { lockFolder } from './folder-lock.ts'

/** sun_path holds 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_PATH = 100
const SOCKET_NAME = '.s.PGSQL.5432'
/** How long a command waits for a server that is just starting, first start included. */
const SHARE_WAIT_MS = 30_000
const SHARE_POLL_MS = 50

export interface Embedded {
  readonly connection: { host: string; port: number; user: string; database: string }
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dataDir: string
  /** Whether to join the server that runs on this folder already, as a client of its socket, instead of refusing. */
  readonly share?: boolean | undefined
  readonly onError: (error: Error) => void
  readonly onProgress: (text: string) => void
}

/**
 * Starts PGlite in a worker thread behind a Unix socket that only this user may open. Two of them on one folder would ruin it:
 * whoever holds the folder's lock has it, everybody else joins (`share`) or is refused.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, share = false } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const folder = realpathSync(dataDir)
  const host = socketFolder(folder)
  const connection = { host, port: 5432, user: 'postgres', database: 'postgres' }
  for (let waited = 0; ; waited += SHARE_POLL_MS) {
    if (share && (await answers(join(host, SOCKET_NAME)))) return { connection, stop: async () => {} }
    const unlock = lockFolder(join(folder, 'run'))
    if (unlock) return { connection, stop: await startWorker(folder, join(host, SOCKET_NAME), unlock, options) }
    if (!share) throw new Error(`another Gatehouse is running on ${dataDir}: stop it, or set GATEHOUSE_DATA to another folder`)
    if (waited >= SHARE_WAIT_MS) throw new Error(`the Gatehouse running on ${dataDir} does not answer: stop it and try again`)
    await sleep(SHARE_POLL_MS)
  }
}

/** Answers with the way to stop it. */
async function startWorker(
  folder: string,
  socket: string,
  unlock: () => void,
  { onError, onProgress }: EmbeddedOptions,
): Promise<() => Promise<void>> {
  const directory = join(folder, 'postgres')
  rmSync(socket, { force: true })
  if (!existsSync(directory)) onProgress('creating the embedded database, this takes a few seconds at first start')

  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: { directory, socket } })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the embedded database ended at start (code ${code})`)))
  }).catch((cause) => {
    unlock()
    throw cause
  })
  worker.removeAllListeners('exit')
  worker.on('error', onError)
  return async () => {
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('stop')
    await ended
    unlock()
  }
}

function socketFolder(dataDir: string): string {
  const beside = join(dataDir, 'run')
  const short = Buffer.byteLength(join(beside, SOCKET_NAME)) <= MAX_SOCKET_PATH
  const folder = short ? beside : join(tmpdir(), `gatehouse-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  return folder
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect(socket)
    attempt.once('connect', () => {
      attempt.destroy()
      resolve(true)
    })
    attempt.once('error', () => resolve(false))
  })
}
