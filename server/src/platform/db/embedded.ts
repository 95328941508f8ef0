import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { withDeadline } from '../lib/deadline.ts'
import { freeBytes, MIN_FREE_BYTES, megabytes } from './disk-space.ts'
import { lockFolder } from './folder-lock.ts'

/** The path of a Unix socket has at most 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_PATH = 100
const SOCKET_NAME = '.s.PGSQL.5432'
/** How long a command waits for a server that is starting. */
const SHARE_WAIT_MS = 30_000
const SHARE_POLL_MS = 50
/** A start without NEW_DATABASE creates the database, which takes half a minute on a slow machine. */
const START_MS = 180_000
/** Commands have 5 s to finish (embedded-worker.ts); the rest is for the last checkpoint. */
const STOP_MS = 15_000

/** An empty, migrated database in one gzip file (scripts/build-database.mjs): 4 bytes with the length of the index, the index as JSON, the files. */
export const NEW_DATABASE: string = fileURLToPath(new URL('../../../new-database/database.gz', import.meta.url))

/** Bytes. Larger than the unpacked file, so that zlib allocates one block: glibc returns only large blocks to the system. */
const UNPACK_CHUNK = 2 ** 25

/** Paths are relative to the folder of the database. */
export interface PackedIndex {
  readonly folders: string[]
  /** `size`: in bytes. */
  readonly files: { readonly path: string; readonly size: number }[]
}

export interface Embedded {
  readonly connection: { host: string; port: number; user: string; database: string }
  /** Aborted with the reason when the database has stopped because of an error. */
  readonly broken: AbortSignal
  /** Throws if the database does not stop in time; it is then terminated. */
  stop(): Promise<void>
}

interface EmbeddedOptions {
  readonly dataDir: string
  /** A file that is unpacked if there is no database yet; absent: one is created, which takes seconds. */
  readonly newDatabase?: string | undefined
  /** Whether to connect to the server that runs on this folder already, instead of throwing. */
  readonly share?: boolean | undefined
  readonly onError: (error: Error) => void
  readonly onProgress: (text: string) => void
}

/**
 * Starts PGlite in a worker thread behind a Unix socket that only this user may open. Two instances would destroy the folder, so only
 * the process with the lock of the folder starts one. Other processes connect to it (`share`) or get an error.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, share = false } = options
  const folder = prepareDataFolder(dataDir)
  const host = prepareSocketFolder(folder)
  const connection = { host, port: 5432, user: 'postgres', database: 'postgres' }
  for (let waited = 0; ; waited += SHARE_POLL_MS) {
    if (share && (await acceptsConnections(join(host, SOCKET_NAME))))
      return { connection, broken: new AbortController().signal, stop: async () => {} }
    const unlock = lockFolder(join(folder, 'run'))
    if (unlock) return { connection, ...(await startWorker(folder, join(host, SOCKET_NAME), unlock, options)) }
    if (!share) throw new Error(`another Gatehouse is running on ${dataDir}: stop it, or set GATEHOUSE_DATA to another folder`)
    if (waited >= SHARE_WAIT_MS) throw new Error(`the Gatehouse running on ${dataDir} does not answer: stop it and try again`)
    await sleep(SHARE_POLL_MS)
  }
}

/** Throws if the folder cannot be written or its disk is full, because PGlite would only report a WASM trap. */
function prepareDataFolder(dataDir: string): string {
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
  { newDatabase, onError, onProgress }: EmbeddedOptions,
): Promise<Pick<Embedded, 'broken' | 'stop'>> {
  const directory = join(folder, 'postgres')
  let worker: DatabaseWorker | undefined
  rmSync(socket, { force: true })
  try {
    if (!existsSync(join(directory, 'PG_VERSION'))) {
      if (newDatabase !== undefined && existsSync(newDatabase)) unpackDatabase(newDatabase, directory)
      else onProgress('creating the embedded database, this takes a few seconds at first start')
    }
    worker = runWorker({ directory, socket }, onError)
    await withDeadline(START_MS, worker.ready, 'the embedded database did not start')
  } catch (cause) {
    await worker?.terminate()
    unlock()
    throw toStartError(folder, cause)
  }
  const { broken, stop } = worker
  return { broken, stop: () => stop().finally(unlock) }
}

interface DatabaseWorker extends Pick<Embedded, 'broken' | 'stop'> {
  readonly ready: Promise<void>
  terminate(): Promise<void>
}

function runWorker(workerData: { directory: string; socket: string }, onError: (error: Error) => void): DatabaseWorker {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData })
  const broken = new AbortController()
  let isStopping = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const fail = (reason: string): void => {
    if (isStopping || broken.signal.aborted) return
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
  const started = new Promise<void>((resolve) => worker.once('message', (message) => message === 'ready' && resolve()))
  const failed = once(broken.signal, 'abort').then(() => {
    throw broken.signal.reason
  })
  const terminate = async (): Promise<void> => {
    isStopping = true
    await worker.terminate()
  }
  const stop = async (): Promise<void> => {
    isStopping = true
    try {
      if (!broken.signal.aborted) worker.postMessage('stop')
      await withDeadline(STOP_MS, exited, 'the embedded database did not stop')
    } finally {
      await worker.terminate()
    }
  }
  return { broken: broken.signal, ready: Promise.race([started, failed]), terminate, stop }
}

/** Writes `PG_VERSION` last. If the process is killed before that, the next start unpacks the database again. */
export function unpackDatabase(file: string, directory: string): void {
  const packed = gunzipSync(readFileSync(file), { chunkSize: UNPACK_CHUNK })
  let at = 4 + packed.readUInt32BE()
  const { folders, files } = JSON.parse(packed.toString('utf8', 4, at)) as PackedIndex
  for (const folder of ['', ...folders]) mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 })
  for (const { path, size } of files) {
    writeFileSync(join(directory, path), packed.subarray(at, at + size), { mode: 0o600 })
    at += size
  }
}

const toStartError = (folder: string, cause: unknown): Error =>
  new Error(`${(cause as Error).message}. Check the data folder ${folder} and the space on its disk.`, { cause })

function prepareSocketFolder(dataDir: string): string {
  const inDataFolder = join(dataDir, 'run')
  const isShort = Buffer.byteLength(join(inDataFolder, SOCKET_NAME)) <= MAX_SOCKET_PATH
  const folder = isShort
    ? inDataFolder
    : join(tmpdir(), `gatehouse-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  return folder
}

function acceptsConnections(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect(socket)
    attempt.once('connect', () => {
      attempt.destroy()
      resolve(true)
    })
    attempt.once('error', () => resolve(false))
  })
}
