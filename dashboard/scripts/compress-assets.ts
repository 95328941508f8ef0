import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const brotli = promisify(brotliCompress)
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Compresses assets at build time, so that the server can send them as they are. */
export function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets')
      const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name))
      for (const name of names) {
        const path = join(folder, name)
        const content = await readFile(path)
        await writeFile(`${path}.br`, await brotli(content, QUALITY))
        await writeFile(`${path}.gz`, await promisify(gzip)(content))
      }
    },
  }
}
