import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

const NOT_HERE = 'must run on this machine, as a user whose programs can be started: the run starts a separate cluster with them'

/** The programs of a PostgreSQL that is installed on this machine, which may be in a folder that chroot enters. */
export interface PostgresPrograms {
  /** Path of a temporary folder for the programs. */
  temporary(name: string): string
  /** Makes a folder that belongs to the programs' user. */
  makeFolder(path: string): void
  /** The path of a file of the programs for this process. */
  outside(path: string): string
  run(program: string, args: readonly string[]): Promise<string>
  /** Starts a program whose output goes to `log`. */
  start(program: string, args: readonly string[], log: string): Program
}

/** Finds the programs of the running server at `url`, by the process that serves this connection. */
export async function findPrograms(url: string): Promise<PostgresPrograms> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number; bin: string }>(
      "select pg_backend_pid() as pid, setting as bin from pg_config where name = 'BINDIR'",
    )
    const [row] = rows
    if (!row) throw new Error('PostgreSQL does not name the folder of its programs')
    const root = readlinkSync(`/proc/${row.pid}/root`)
    const { uid, gid } = statSync(`/proc/${row.pid}`)
    return openPrograms(root, row.bin, uid, gid)
  } catch (cause) {
    throw new Error(`the PostgreSQL at ${new URL(url).host} ${NOT_HERE}`, { cause })
  } finally {
    await client.end()
  }
}

function openPrograms(root: string, bin: string, uid: number, gid: number): PostgresPrograms {
  const isOwn = process.getuid?.() === uid
  const command = (program: string, args: readonly string[]): [string, string[]] => {
    const path = join(bin, program)
    return isOwn && root === '/' ? [path, [...args]] : ['chroot', [`--userspec=${uid}:${gid}`, root, path, ...args]]
  }
  const outside = (path: string) => join(root, path)
  return {
    outside,
    temporary: (name) => join(root === '/' ? tmpdir() : '/tmp', name),
    makeFolder(path) {
      mkdirSync(outside(path), { recursive: true, mode: 0o700 })
      if (!isOwn) chownSync(outside(path), uid, gid)
    },
    run: (program, args) => run(...command(program, args)),
    start(program, args, log) {
      const file = openSync(log, 'a')
      try {
        return programOf(
          spawn(...command(program, args), { stdio: ['ignore', file, file], env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }),
        )
      } finally {
        closeSync(file)
      }
    },
  }
}

/** A program that this process started. It is stopped by its process id. */
export interface Program {
  hasEnded(): boolean
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

function programOf(child: ChildProcess): Program {
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
    hasEnded,
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
function killTree(pid: number): void {
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
function descendantsOf(pid: number): readonly number[] {
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
async function run(file: string, args: readonly string[]): Promise<string> {
  const child = spawn(file, [...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${code}: ${output.slice(-2_000)}`)
  return output
}
