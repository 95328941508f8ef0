// `npm run release`: packs the built server, dashboard and documents into release/gatehouse-<version>.tar.gz. To install it: unpack,
// `npm ci --omit=dev`, `scripts/gatehouse serve`. It needs no compiler and no dependencies of the dashboard. The OpenAPI document becomes a
// file of its own, for generators of clients. bundle.ts then makes the archive for servers without npm, and the typed client is packed.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import './prepare.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
const name = `gatehouse-${version}`
const contents = [
  ...[
    'package.json',
    'package-lock.json',
    '.npmrc',
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'docs',
    'examples',
    'deploy',
  ],
  ...['scripts/gatehouse', 'server/dist', 'server/new-database', 'dashboard/package.json', 'dashboard/dist', 'site/dist'],
]
mkdirSync(`${root}/release`, { recursive: true })
const file = `release/${name}.tar.gz`
const options = ['--exclude=.sources', '--exclude=docs/images', `--transform=s,^,${name}/,`]
run('tar', ['czf', file, ...options, ...contents])
console.log(file)
const api = `release/${name}-openapi.json`
copyFileSync(`${root}/docs/api/openapi.json`, `${root}/${api}`)
console.log(api)
run('scripts/run', ['node', 'scripts/bundle.ts', file])
run('npm', ['pack', './clients/typescript', '--pack-destination', 'release'])

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
