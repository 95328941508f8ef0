import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import release from '../../../scripts/last-release.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../../..')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

export interface LastRelease {
  /** Path of its program. */
  readonly main: string
  readonly remove: () => void
}

/** Whether this clone has the commit of the last release. A shallow clone may lack it. */
export const hasLastRelease = (): boolean =>
  spawnSync('git', ['cat-file', '-e', `${release.commit}^{commit}`], { cwd: ROOT }).status === 0

/** Copies the last release into a temporary folder, with its packages. */
export function checkOutLastRelease(): LastRelease {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-last-release-'))
  const archive = join(folder, 'release.tar')
  execFileSync('git', ['archive', '--output', archive, release.commit], { cwd: ROOT })
  execFileSync('tar', ['xf', archive, '-C', folder])
  installPackages(folder)
  // Its dashboard is not built: the server reads the page when the first browser asks for it.
  mkdirSync(join(folder, 'dashboard/dist/assets'), { recursive: true })
  return {
    main: join(folder, 'server/src/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Uses the packages of this checkout if they have the versions that the release names, and else installs them. */
function installPackages(folder: string): void {
  const { dependencies } = readManifest(folder)
  const present = readManifest(ROOT).dependencies
  if (Object.entries(dependencies).every(([name, version]) => present[name] === version))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe', timeout: 300_000 })
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
