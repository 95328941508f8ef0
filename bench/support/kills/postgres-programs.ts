import { spawn } from 'node:child_process'
import { chownSync, closeSync, mkdirSync, openSync, readlinkSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Own, own, run } from '../ha/own.ts'

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
  start(program: string, args: readonly string[], log: string): Own
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
        return own(
          spawn(...command(program, args), { stdio: ['ignore', file, file], env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }),
        )
      } finally {
        closeSync(file)
      }
    },
  }
}
