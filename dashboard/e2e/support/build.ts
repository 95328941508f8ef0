import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Before the first test of a run: the dashboard as its sources are now. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/build-dashboard.mjs')], { stdio: 'inherit' })
}
