// Part of build-server.mjs: bundles the server and its threads into the given folder. Names and lines stay, so that stack traces can be read.
import { join, relative } from 'node:path'
import { build } from 'rolldown'
import { root } from './build-if-changed.mjs'

const source = join(root, 'server/src')
const dist = join(root, 'server/dist')

/** Packages that find their own files next to their code: WebAssembly, data, the script of a thread. */
const EXTERNAL = /^(?:@electric-sql\/|piscina$)/

/** Lets a module of the bundle find other files from where its source is, and the threads in the bundle. */
const locateSources = {
  name: 'locate-sources',
  transform(code, id) {
    if (!id.startsWith(source) || !code.includes('import.meta')) return null
    if (/import\.meta\.(?:dirname|filename)/.test(code)) throw new Error(`${id}: use import.meta.url, which the bundle adapts`)
    const path = JSON.stringify(relative(dist, id))
    return code
      .replaceAll('import.meta.url', `new URL(${path}, import.meta.url).href`)
      .replace(/new URL\('\.\/([\w-]+-worker)\.ts', new URL\(.*?\)\.href\)/g, "new URL('./$1.mjs', import.meta.url)")
  },
}

const [dir] = process.argv.slice(2)
await build({
  input: [
    'main.ts',
    'platform/db/embedded-worker.ts',
    'domains/classification/scan-worker.ts',
    'domains/knowledge/parsing/parser-worker.ts',
    'domains/knowledge/sources/git-worker.ts',
  ].map((file) => join(source, file)),
  platform: 'node',
  external: EXTERNAL,
  plugins: [locateSources],
  output: { dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
})
