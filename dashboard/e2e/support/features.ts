import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const FEATURES = join(import.meta.dirname, '../../src/features')

/** Part of src/routing/feature.ts, without its imports. */
interface Feature {
  readonly pages: readonly { readonly path: string; readonly scope?: string; readonly public?: true }[]
  readonly navigation?: readonly { readonly label: string; readonly section?: string; readonly scope?: string }[]
}

/** Reads pages and navigation of all features. */
export function readFeatures(): Promise<Feature[]> {
  const files = globSync('*/feature.ts', { cwd: FEATURES })
  return Promise.all(files.map(async (file) => (await import(pathToFileURL(join(FEATURES, file)).href)).feature))
}
