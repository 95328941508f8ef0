import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Adds to package-lock.json the platform binaries that npm left out, because the registry in use lacks them or because npm recorded
 * only those of this machine (npm/cli#4828). `npm ci` refuses a lock file without them. Run `scripts/run node scripts/complete-lock.ts`
 * after a change of the dependencies.
 */
export interface Lock {
  packages: Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>>; readonly dev?: boolean }>
}

interface Binary {
  readonly version: string
  readonly cpu?: readonly string[]
  readonly dev?: boolean
  readonly libc?: readonly string[]
  readonly optional: true
  readonly os?: readonly string[]
}

const PLATFORM = /-(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/

/** The optional dependencies without an entry in the lock file: name and the entry to add. */
export function missingBinaries({ packages }: Lock): (readonly [name: string, entry: Binary])[] {
  const names = new Set(Object.keys(packages).map(packageName))
  return Object.values(packages).flatMap(({ optionalDependencies = {}, dev = false }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !names.has(name))
      .map(([name, version]) => [name, entryOf(name, version, dev)] as const),
  )
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
export const packageName = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

function entryOf(name: string, version: string, dev: boolean): Binary {
  const [, os, cpu, abi = ''] = PLATFORM.exec(name) ?? []
  return {
    version,
    ...(cpu && { cpu: [cpu] }),
    ...(dev && { dev }),
    ...(os === 'linux' && { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] }),
    optional: true,
    ...(os && { os: [os] }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../package-lock.json', import.meta.url)
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
  for (const [name, entry] of missingBinaries(lock)) lock.packages[`node_modules/${name}`] = entry
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
