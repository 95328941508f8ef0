// Runs before `npm start` and `npm test` with the Node of the system (20 or later). Installs the packages of package-lock.json, among
// them Node 24 (the npm package `node`), writes the generated files that are not in git, and builds the server, its new database, the
// dashboard and the documents, each if they have changed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `import.meta.dirname` came with Node 20.11.
const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.gatehouse-lock')
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock && existsSync(join(root, 'node_modules/.bin/node'))

if (!installed) {
  console.error('gatehouse: installing dependencies, once (a minute or so) …')
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev']
  const { status } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    console.error('gatehouse: `npm install` failed: see the error above, then run `npm start` again')
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, lock)
}

const files = import('./generate-files.mjs')
// `npm run check` and `npm run docs` need only the generated files.
const needsBuilds = !process.argv.includes('--files')
if (needsBuilds)
  await Promise.all([
    import('./build-server.mjs'),
    import('./build-database.mjs'),
    import('./build-dashboard.mjs'),
    files.then(() => import('./build-site.mjs')),
  ])
await files
