// `node site/build/build.ts FOLDER`: builds the site into the folder. Prints only why it failed.
import { join, resolve } from 'node:path'
import { build } from 'vitepress'
import { writeApiPages } from '../api/pages.ts'

// Otherwise VitePress shows a spinner, which fails in a terminal without a size.
process.env.CI ??= 'true'
const [folder = 'site/dist'] = process.argv.slice(2)
const output: string[] = []
const write = process.stderr.write.bind(process.stderr)
const collect = (text: string | Uint8Array): boolean => output.push(String(text)) > 0
process.stdout.write = collect
process.stderr.write = collect
try {
  writeApiPages()
  await build(join(import.meta.dirname, '..'), { outDir: resolve(folder) })
} catch (error) {
  write(`${output.join('')}\n${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
}
