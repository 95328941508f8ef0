import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds the dashboard before the first test. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/build-dashboard.mjs')], { stdio: 'inherit' })
}
