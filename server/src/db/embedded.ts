import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { withDeadline } from '../lib/deadline.ts'
import { freeBytes, MIN_FREE_BYTES, megabytes } from './disk-space.ts'
import { lockFolder } from './folder-lock.ts'

/** sun_path holds 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_PATH = 100
const SOCKET_NAME = '.s.PGSQL.5432'
/** How long a command waits for a server that is just starting, first start included. */
const SHARE_WAIT_MS = 30_000
const SHARE_POLL_MS = 50
/** The first start creates the database, which takes a slow machine half a minute. */
const START_MS = 180_000
/** Its guests get 5 s to finish (embedded-worker.ts), the rest is for the last checkpoint. */
const STOP_MS = 15_000

export interface Embedded {
  readonly connection: { host: string; port: number; user: string; database: string }
  /** Aborted, with the reason, when the database has died while it ran. */
  readonly broken: AbortSignal
  /** Never waits without a limit. Throws when the database had to be cut off. */
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
  const folder = writableFolder(dataDir)
  const host = socketFolder(folder)
  const connection = { host, port: 5432, user: 'postgres', database: 'postgres' }
  for (let waited = 0; ; waited += SHARE_POLL_MS) {
    if (share && (await answers(join(host, SOCKET_NAME))))
      return { connection, broken: new AbortController().signal, stop: async () => {} }
    const unlock = lockFolder(join(folder, 'run'))
    if (unlock) return { connection, ...(await startWorker(folder, join(host, SOCKET_NAME), unlock, options)) }
    if (!share) throw new Error(`another Gatehouse is running on ${dataDir}: stop it, or set GATEHOUSE_DATA to another folder`)
    if (waited >= SHARE_WAIT_MS) throw new Error(`the Gatehouse running on ${dataDir} does not answer: stop it and try again`)
    await sleep(SHARE_POLL_MS)
  }
}

/** Throws, with what to do, when the folder can't be written or its disk is full: PGlite's own words for it are a WASM trap. */
function writableFolder(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const folder = realpathSync(dataDir)
    const probe = join(folder, `.write-test-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
    const free = freeBytes(folder)
    if (free >= MIN_FREE_BYTES) return folder
    throw new Error(`${megabytes(free)} MB are free, and the embedded database needs ${megabytes(MIN_FREE_BYTES)} MB: free some`)
  } catch (cause) {
    throw new Error(`The data folder ${dataDir} cannot be used: ${(cause as Error).message}`, { cause })
  }
}

async function startWorker(
  folder: string,
  socket: string,
  unlock: () => void,
  { onError, onProgress }: EmbeddedOptions,
): Promise<Pick<Embedded, 'broken' | 'stop'>> {
  const directory = join(folder, 'postgres')
  rmSync(socket, { force: true })
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    onProgress('creating the embedded database, this takes a few seconds at first start')
    try {
      await createDatabase(directory)
    } catch (cause) {
      unlock()
      throw startProblem(folder, cause)
    }
  }

  const worker = newWorker({ directory, socket })
  const broken = new AbortController()
  let stopping = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const fail = (reason: string): void => {
    if (stopping || broken.signal.aborted) return
    broken.abort(new Error(`the embedded database has stopped: ${reason}`))
    void worker.terminate()
  }
  worker.on('message', (message: 'ready' | { broken: string }) => {
    if (message !== 'ready') fail(message.broken)
  })
  worker.on('error', (error) => {
    onError(error)
    fail(error.message)
  })
  worker.on('exit', (code) => fail(`its thread ended with code ${code}`))
  const ready = new Promise<void>((resolve) => worker.once('message', (message) => message === 'ready' && resolve()))
  const refused = once(broken.signal, 'abort').then(() => {
    throw broken.signal.reason
  })
  try {
    await withDeadline(START_MS, Promise.race([ready, refused]), 'the embedded database did not start')
  } catch (cause) {
    stopping = true
    await worker.terminate()
    unlock()
    throw startProblem(folder, cause)
  }
  const stop = async (): Promise<void> => {
    stopping = true
    try {
      if (!broken.signal.aborted) worker.postMessage('stop')
      await withDeadline(STOP_MS, exited, 'the embedded database did not stop, and was cut off')
    } finally {
      await worker.terminate()
      unlock()
    }
  }
  return { broken: broken.signal, stop }
}

const newWorker = (workerData: { directory: string; socket?: string }): Worker =>
  new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData })

/** In a thread of its own, which ends: creating the database takes 400 MB, and PGlite would keep them. */
async function createDatabase(directory: string): Promise<void> {
  const worker = newWorker({ directory })
  try {
    const [code] = (await withDeadline(START_MS, once(worker, 'exit'), 'the embedded database was not created')) as [number]
    if (code !== 0) throw new Error(`the thread that creates the embedded database ended with code ${code}`)
  } finally {
    await worker.terminate()
  }
}

const startProblem = (folder: string, cause: unknown): Error =>
  new Error(`${(cause as Error).message}. Check the data folder ${folder} and the space on its disk.`, { cause })

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
