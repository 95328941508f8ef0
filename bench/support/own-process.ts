import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const STOP_MS = 15_000
/** That of scripts/gatehouse. A start with compiled code takes less than half of the CPU time. */
export const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/gatehouse')

/** A Node program that this process started and stops by its process id. */
export interface OwnProcess extends AsyncDisposable {
  readonly pid: number
  readonly child: ChildProcess
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>
  hasEnded(): boolean
  /** Sends SIGTERM, and SIGKILL after 15 s. Resolves when the process has ended. */
  stop(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

const alive = new Set<ChildProcess>()
// When this program ends, it kills the processes that it started.
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** Makes SIGINT and SIGTERM run the exit handler above. For programs, not for tests. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
}

/** Runs `script` with the same Node and a clean environment, without the configuration of this process. */
export function startProcess(
  script: string,
  { args = [], nodeArgs = [], env = {}, stdio = 'inherit' }: ProcessOptions = {},
): OwnProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...(TMPDIR !== undefined && { TMPDIR }), ...env },
    stdio,
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`cannot start ${script}`)
  alive.add(child)
  const ended = once(child, 'exit').then(() => void alive.delete(child))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const stop = async () => {
    if (hasEnded()) return
    child.kill('SIGTERM')
    const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(killTimer)
  }
  return { pid, child, ended, hasEnded, stop, kill, [Symbol.asyncDispose]: stop }
}

export interface ProcessOptions {
  readonly args?: readonly string[]
  /** Arguments of Node, for example `--cpu-prof`. */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdio?: SpawnOptions['stdio']
}
