// Builds the dashboard into dashboard/dist when its sources have changed since the last time.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `import.meta.dirname` came with Node 20.11.
const root = fileURLToPath(new URL('..', import.meta.url))
const dashboard = join(root, 'dashboard')
const dist = join(dashboard, 'dist')
const stamp = join(dist, '.sources')

/** Hash of names, sizes and times of all files that the build uses. */
function hashSources() {
  const inside = (folder) =>
    readdirSync(join(dashboard, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const scripts = ['scripts/api-reference.ts', 'scripts/compress-assets.ts']
  const shared = ['../package-lock.json', '../server/src/domain/client-snippets.ts']
  const single = ['index.html', 'vite.config.ts', 'package.json', ...scripts, ...shared].map((name) => join(dashboard, name))
  const lines = [...inside('src'), ...single].sort().map((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${path} ${size} ${mtimeMs}`
  })
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

const current = hashSources()
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== current) {
  console.error('gatehouse: building the dashboard …')
  // A separate folder, because a running server may still read the old build.
  const fresh = join(dashboard, `.build-${process.pid}`)
  const args = ['vite', 'build', dashboard, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']
  // Always production, also in tests, because the development build of React is larger.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status } = spawnSync(join(root, 'scripts/run'), args, { cwd: root, env, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    console.error('gatehouse: the dashboard could not be built: see the error above')
    process.exit(status ?? 1)
  }
  writeFileSync(join(fresh, '.sources'), current)
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
}
