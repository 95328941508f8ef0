import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Files } from './contract.ts'

const FOLDERS = '{server,dashboard,docs,bench,examples,scripts}/**/*.{ts,tsx,mjs,cjs,md,yaml,json}'
const ROOT = join(import.meta.dirname, '..')

/** Reads the code and documents of the repository, without what is installed or built. */
export function readRepositoryFiles(): Files {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path)
  const paths = globSync([FOLDERS, '*.md'], { cwd: ROOT, exclude }).sort()
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}
