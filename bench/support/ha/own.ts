import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

/** A program that this process started. It is stopped by its process id. */
export interface Own {
  readonly pid: number
  hasEnded(): boolean
  signal(name: NodeJS.Signals): void
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** SIGTERM, and after 20 s SIGKILL to it and its children. */
  stop(): Promise<void>
  /** SIGKILL to it and all its descendants at once, as a power cut would. */
  kill(): Promise<void>
}

const STOP_MS = 20_000

const alive = new Set<number>()
// When this program ends, what it started ends as well.
process.once('exit', () => {
  for (const pid of alive) killTree(pid)
})

export function own(child: ChildProcess): Own {
  const { pid } = child
  if (pid === undefined) throw new Error('a program could not be started')
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  alive.add(pid)
  const ended = once(child, 'exit').then(() => void alive.delete(pid))
  const kill = async (): Promise<void> => {
    killTree(pid)
    await ended
  }
  return {
    pid,
    hasEnded,
    ended,
    signal: (name) => sendSignal(pid, name),
    kill,
    async stop() {
      if (hasEnded()) return
      sendSignal(pid, 'SIGTERM')
      const timer = setTimeout(() => void kill(), STOP_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** SIGKILL to a process and all its descendants at once. */
export function killTree(pid: number): void {
  for (const one of [pid, ...descendantsOf(pid)]) sendSignal(one, 'SIGKILL')
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

/** Ids of the processes that descend from `pid`. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has ended.
    }
  }
  const found = [pid]
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child)
  return found.slice(1)
}

/** Runs a program to its end. Throws with its output if it fails. */
export async function run(file: string, args: readonly string[]): Promise<string> {
  const child = spawn(file, [...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${code}: ${output.slice(-2_000)}`)
  return output
}
