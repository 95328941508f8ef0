import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `import.meta.dirname` came with Node 20.11.
export const root = fileURLToPath(new URL('..', import.meta.url))

/** All files below a folder of the repository. */
export const filesBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

/** Hash of names, sizes and times of the files that a build uses. */
export function hashSources(sources) {
  const lines = [...sources].sort().map((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${path} ${size} ${mtimeMs}`
  })
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/**
 * Builds `dist` with a tool when the sources have changed since the last time. `argsFor` returns the tool's arguments for the folder of its
 * output. Resolves to false if the build fails.
 */
export async function buildIfChanged({ name, dist, sources, argsFor }) {
  const stamp = join(dist, '.sources')
  const current = hashSources(sources)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return true
  console.error(`gatehouse: building the ${name} …`)
  // A separate folder, because a running server may still read the old build.
  const fresh = join(dist, `../.build-${basename(dist)}-${process.pid}`)
  // Always production, also in tests, because the development build of React is larger.
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = spawn(join(root, 'scripts/run'), argsFor(fresh), { cwd: root, env, stdio: ['ignore', 2, 2] })
  const status = await new Promise((resolve) => child.once('error', () => resolve(1)).once('close', resolve))
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    console.error(`gatehouse: the ${name} could not be built: see the error above`)
    return false
  }
  writeFileSync(join(fresh, '.sources'), current)
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
  return true
}
