import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** sun_path holds 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_PATH = 100
const SOCKET_NAME = '.s.PGSQL.5432'

export interface Embedded {
  readonly connection: { host: string; port: number; user: string; database: string }
  stop(): Promise<void>
}

/**
 * Starts PGlite in a worker thread behind a Unix socket that only this user may open. The socket doubles as the lock:
 * a second server on the same folder finds it answering and refuses to start.
 */
export async function startEmbedded({
  dataDir,
  onError,
  onProgress,
}: {
  dataDir: string
  onError: (error: Error) => void
  onProgress: (text: string) => void
}): Promise<Embedded> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const directory = join(realpathSync(dataDir), 'postgres')
  const host = socketFolder(realpathSync(dataDir))
  const socket = join(host, SOCKET_NAME)
  if (await answers(socket)) {
    throw new Error(`another Gatehouse is running on ${dataDir}: stop it, or set GATEHOUSE_DATA to another folder`)
  }
  rmSync(socket, { force: true })
  if (!existsSync(directory)) onProgress('creating the embedded database, this takes a few seconds at first start')

  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: { directory, socket } })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the embedded database ended at start (code ${code})`)))
  })
  worker.removeAllListeners('exit')
  worker.on('error', onError)
  return {
    connection: { host, port: 5432, user: 'postgres', database: 'postgres' },
    async stop() {
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage('stop')
      await ended
    },
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
