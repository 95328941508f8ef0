import { readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { missingBinaries, packageName } from '../../scripts/complete-lock.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Of `node_modules` after `npm ci --omit=dev`, without the npm package `node`. */
const LIMIT_MB = 250
/** Peers of pglite-socket that only its own command line loads. */
const UNUSED_PEERS = /^@electric-sql\/pglite-(age|pg_hashids|pg_ivm|pg_textsearch|pg_uuidv7|pgtap)$/

/** The module of a static import or export from a package, of `import()` and of `require()`. */
const IMPORT = /(?:^(?:import |export |\} )(?:[^'\n]*from )?|import\(|require\()'([^'.\n][^'\n]*)'/gm

interface Entry {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Entry> }
const production = Object.entries(lock.packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.link && !entry.optional,
)
const names = new Set(production.map(([path]) => packageName(path)))

const files = (folder: string) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

function diskBytes(folder: string): number {
  const own = files(folder).filter(({ parentPath }) => !parentPath.slice(folder.length).includes('/node_modules'))
  return own.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * 512, 0)
}

test('package-lock.json: `npm ci` accepts it, because every platform has its optional binaries', () => {
  expect(missingBinaries(lock)).toEqual([])
  expect(missingBinaries({ packages: { 'node_modules/a': { optionalDependencies: { 'a-linux-x64-musl': '1.0.0' } } } })).toEqual([
    ['a-linux-x64-musl', { version: '1.0.0', cpu: ['x64'], libc: ['musl'], optional: true, os: ['linux'] }],
  ])
})

test('package-lock.json: no development tool belongs to a production install as an optional peer', () => {
  expect(Object.entries(lock.packages).filter(([, { devOptional }]) => devOptional)).toEqual([])
})

test('production install: every module that the server imports is a dependency of it', () => {
  const sources = files(join(ROOT, 'server/src')).filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const imported = sources
    // Template literals can hold programs for clients.
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8').replaceAll(/`[^`]*`/g, ''))
    .flatMap((source) => [...source.matchAll(IMPORT)])
    .map(([, module = '']) => module)
    .filter((module) => !isBuiltin(module))
    .map((module) => (module.startsWith('@') ? module.split('/', 2).join('/') : (module.split('/', 1)[0] ?? '')))
  const dependencies = Object.keys(lock.packages['']?.dependencies ?? {})
  expect(new Set(imported).size).toBeGreaterThan(30)
  expect([...new Set(imported)].filter((module) => !dependencies.includes(module))).toEqual([])
})

test('production install: every dependency and required peer of its packages is part of it', () => {
  const missing = production.flatMap(([path, { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }]) =>
    [...Object.keys(dependencies), ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)]
      .filter((name) => !names.has(name) && !UNUSED_PEERS.test(name))
      .map((name) => `${path} → ${name}`),
  )
  expect(missing).toEqual([])
})

test(`production install: takes at most ${LIMIT_MB} MB on disk, Node itself apart`, () => {
  const bytes = production.filter(([path]) => path !== 'node_modules/node').map(([path]) => diskBytes(join(ROOT, path)))
  expect(production.length).toBeGreaterThan(150)
  expect(bytes.reduce((sum, each) => sum + each, 0) / 2 ** 20).toBeLessThanOrEqual(LIMIT_MB)
})
