import { spawn } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Own, own, run } from './own.ts'

const PACKAGES = ['postgresql-17', 'patroni', 'python3-etcd', 'etcd-server', 'pgbouncer', 'haproxy', 'pgbackrest']
/** The user of Debian's packages, who owns the cluster. Nothing runs as root. */
const USER = 'postgres:postgres'
const ROOT_NEEDED = 'bench/ha needs root for debootstrap and chroot: run it as root on a Debian machine'

/** A folder as programs see it, and as this process sees it. */
export interface Folder {
  readonly inside: string
  readonly outside: string
}

/** A folder with the packages of Debian 13, in which programs run with chroot as an unprivileged user. */
export interface Debian {
  /** The folder of the run. */
  readonly home: Folder
  /** Starts a program that runs until it is stopped. Its output goes to `<name>.log` in `home`. */
  start(name: string, command: readonly string[]): Own
  /** Makes a folder in `home` that belongs to the programs' user. */
  folder(name: string): Promise<Folder>
  /** Runs a program to its end. Throws with its output if it fails. */
  run(command: readonly string[]): Promise<string>
  dispose(): void
}

/** Installs the packages if needed (some minutes, from the machine's own mirror), and makes a new folder for the run. */
export async function openDebian(folder = process.env.HA_HOME ?? join(tmpdir(), 'gatehouse-ha')): Promise<Debian> {
  if (process.getuid?.() !== 0) throw new Error(ROOT_NEEDED)
  if (!existsSync(join(folder, 'usr/bin/patroni'))) await install(folder)
  const home = `/srv/run-${process.pid}`
  const outside = join(folder, home)
  const mounted = existsSync(join(folder, 'proc/self'))
  // Patroni looks for the processes of PostgreSQL there.
  if (!mounted) await run('mount', ['-t', 'proc', 'proc', join(folder, 'proc')])
  // Python's locks are files there.
  chmodSync(join(folder, 'dev/shm'), 0o1777)
  const inside = (command: readonly string[]): [string, string[]] => [
    'chroot',
    [
      `--userspec=${USER}`,
      folder,
      'env',
      `HOME=${home}`,
      'LC_ALL=C.UTF-8',
      'PATH=/usr/lib/postgresql/17/bin:/usr/sbin:/usr/bin:/bin',
      ...command,
    ],
  ]
  const makeFolder = async (path: string): Promise<Folder> => {
    mkdirSync(join(folder, path), { recursive: true })
    await run('chroot', [folder, 'chown', USER, path])
    return { inside: path, outside: join(folder, path) }
  }
  return {
    home: await makeFolder(home),
    folder: (name) => makeFolder(join(home, name)),
    start(name, command) {
      const log = openSync(join(outside, `${name}.log`), 'a')
      try {
        return own(spawn(...inside(command), { stdio: ['ignore', log, log] }))
      } finally {
        closeSync(log)
      }
    },
    run: (command) => run(...inside(command)),
    dispose() {
      rmSync(outside, { recursive: true, force: true })
    },
  }
}

async function install(folder: string): Promise<void> {
  console.log(`installing the packages of Debian 13 in ${folder}`)
  await run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, 'trixie', folder, findMirror()])
}

/** The mirror of Debian that this machine uses for its own packages. */
function findMirror(): string {
  const lists = [
    '/etc/apt/sources.list',
    ...readdirSync('/etc/apt/sources.list.d').map((name) => `/etc/apt/sources.list.d/${name}`),
  ]
  for (const list of lists.filter((file) => existsSync(file))) {
    const found = /(?:^URIs:|^deb(?: \[.*\])?)\s+(\S+\/debian)\/?\s/m.exec(readFileSync(list, 'utf8'))
    if (found?.[1]) return found[1]
  }
  throw new Error('no mirror of Debian was found in /etc/apt: add one')
}
