import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

const STOP_MS = 15_000

/** A Node program that was started here, and is ended here by its own process id. */
export interface OwnProcess extends AsyncDisposable {
  readonly pid: number
  readonly child: ChildProcess
  /** Settles when the process has ended, whatever the reason. */
  readonly ended: Promise<void>
  hasEnded(): boolean
  /** Asks it to end, insists after 15 s; resolves when it has ended. */
  stop(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
}

const alive = new Set<ChildProcess>()
// Whatever ends this program ends what it started, and nothing else.
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** For programs (not for tests): an interrupt runs the exit handler above. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
}

/** Runs `script` under this very Node, with an environment of its own: nothing of the caller's configuration leaks into it. */
export function startProcess(
  script: string,
  { args = [], nodeArgs = [], env = {}, stdio = 'inherit' }: ProcessOptions = {},
): OwnProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
    env: { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), ...env },
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
    const insist = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(insist)
  }
  return { pid, child, ended, hasEnded, stop, kill, [Symbol.asyncDispose]: stop }
}

export interface ProcessOptions {
  readonly args?: readonly string[]
  /** For Node itself: `--cpu-prof` … */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdio?: SpawnOptions['stdio']
}
