// Writes the generated files that are not in git, each when its sources have changed since the last time.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { filesBelow, hashSources, root } from './build-if-changed.mjs'

const FILES = [
  {
    file: 'dashboard/src/api/schema.d.ts',
    folders: [],
    sources: ['docs/api/openapi.json', 'package-lock.json'],
    generator: ['dashboard/scripts/api-schema.ts'],
  },
  {
    file: 'clients/typescript/src/schema.ts',
    folders: [],
    sources: ['docs/api/openapi.json', 'package-lock.json'],
    generator: ['dashboard/scripts/api-schema.ts', 'client'],
  },
  {
    file: 'docs/fields.md',
    folders: [
      'server/test/fields',
      ...['dialects', 'shared', 'api/gateway', 'platform/lib', 'domains/providers'].map((name) => `server/src/${name}`),
    ],
    sources: [],
    generator: ['scripts/generate-page.ts', 'fields'],
  },
  {
    file: 'docs/contract/coverage.md',
    folders: ['server/src', 'server/test', 'dashboard/src', 'dashboard/e2e', 'docs/contract'],
    sources: ['scripts/contract.ts'],
    generator: ['scripts/generate-page.ts', 'coverage'],
  },
]

await Promise.all(FILES.map(writeIfChanged))

async function writeIfChanged({ file, folders, sources, generator }) {
  const target = join(root, file)
  const stamp = join(root, 'node_modules', `.gatehouse-${basename(file)}`)
  const paths = [...folders.flatMap(filesBelow), ...[...sources, generator[0]].map((name) => join(root, name))]
  const current = hashSources(paths.filter((path) => path !== target && !path.endsWith('schema.d.ts')))
  const isWritten = existsSync(target)
  if (isWritten && existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 }
  const { stdout } = await promisify(execFile)(join(root, 'scripts/run'), ['node', ...generator], options)
  // An unchanged file keeps its time, so that builds which use it do not start.
  if (!isWritten || readFileSync(target, 'utf8') !== stdout) writeFileSync(target, stdout)
  writeFileSync(stamp, current)
}
